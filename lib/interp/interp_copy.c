/* interp_copy.c - parts of a process's memory, copied at one moment. */
#include "interp/interp_copy.h"

#include "base/mem.h"

#include <errno.h>
#include <stdlib.h>

/* process_vm_readv(2) takes at most IOV_MAX parts, one of which is the stack.
 */
enum { MAX_PARTS = 1000 };

/* Bytes of a block from which on it gets smaller if little of it was used. */
enum { LARGE = 32768 };

/* Bytes between spans that are copied as one, and the most of these. */
enum { PAGE = 4096, GAP = 1024, JOINED = 65536 };

size_t
interp_copy_read_parts(struct interp_copy *c, const struct iovec *to,
		       const struct iovec *from, size_t n)
{
	ssize_t got;

	c->reads++;
	if (c->reader.read != NULL)
		return c->reader.read(c->reader.arg, to, from, n);
	got = process_vm_readv((pid_t)c->reader.tid, to, n, from, n, 0);
	if (got < 0 && errno == ESRCH && c->reader.pid > 0)
		got = process_vm_readv((pid_t)c->reader.pid, to, n, from, n, 0);
	return got < 0 ? 0 : (size_t)got;
}

static struct iovec
remote(uint64_t address, size_t n)
{
	return (struct iovec){ (void *)(uintptr_t)address, n };
}

/* Add a span and make room for its bytes; NULL if a limit is reached. */
static struct interp_span *
add_span(struct interp_copy *c, uint64_t address, size_t n)
{
	struct interp_span *s;

	if (n == 0 || n > INTERP_COPY_BYTES - c->bytes.len)
		return NULL;
	c->spans.span = mem_grow(c->spans.span, &c->spans.cap, c->spans.n + 1,
				 sizeof(*s));
	s = &c->spans.span[c->spans.n++];
	*s = (struct interp_span){ .address = address,
				   .n = (uint32_t)n,
				   .at = (uint32_t)c->bytes.len };
	buf_reserve(&c->bytes, n);
	c->bytes.len += n;
	return s;
}

/* Drop the spans from i on that were not copied, of which got bytes were. */
static void
drop_failed(struct interp_copy *c, size_t i, size_t got)
{
	while (i < c->spans.n && c->spans.span[i].n <= got)
		got -= c->spans.span[i++].n;
	if (i == c->spans.n)
		return;
	c->bytes.len = c->spans.span[i].at;
	c->spans.n = i;
}

/*
 * Copy spans from i on; with the stack, before the first.  Returns the number
 * of the first span that was not copied.
 */
static size_t
read_spans(struct interp_copy *c, const struct interp_spans *last, size_t i,
	   struct buf *stack, size_t n)
{
	struct iovec to[MAX_PARTS + 1], from[MAX_PARTS + 1];
	const struct interp_span *s;
	struct interp_span *added;
	size_t parts = 0, got, first, begin = c->spans.n, from_span = i;

	if (n > 0) {
		to[parts] = (struct iovec){ stack->p, n };
		from[parts++] = remote(c->moment.sp, n);
	}
	first = parts;
	for (; i < last->n && parts < MAX_PARTS; i++, parts++) {
		added = add_span(c, last->span[i].address, last->span[i].n);
		if (added == NULL)
			break;
		added->whole = last->span[i].whole;
	}
	for (i = first; i < parts; i++) {
		s = &c->spans.span[begin + i - first];
		to[i] = (struct iovec){ c->bytes.p + s->at, s->n };
		from[i] = remote(s->address, s->n);
	}
	got = parts == 0 ? 0 : interp_copy_read_parts(c, to, from, parts);
	if (n > 0)
		stack->len = got < n ? got : n;
	drop_failed(c, begin, got < n ? 0 : got - n);
	return from_span + c->spans.n - begin;
}

/*
 * Copy all spans, from i on, beyond those that cannot be read any more.  Each
 * of these costs a call, so there are few of these calls.
 */
static void
read_rest(struct interp_copy *c, const struct interp_spans *spans, size_t i)
{
	size_t next;
	int calls;

	for (calls = 0; i < spans->n && calls < 4; calls++) {
		next = read_spans(c, spans, i, NULL, 0);
		/* Skip the span that made this call fail, or the last one. */
		i = next == i ? i + 1 : next;
	}
}

/* How many spans are sorted, and do not overlap. */
static size_t
count_sorted(const struct interp_copy *c)
{
	const struct interp_span *s = c->spans.span;
	size_t i = c->spans.n > 0;

	while (i < c->spans.n && s[i].address >= s[i - 1].address + s[i - 1].n)
		i++;
	return i;
}

void
interp_copy_begin(struct interp_copy *c, const struct interp_reader *reader,
		  const struct interp_spans *last,
		  const struct interp_moment *moment, struct buf *stack,
		  size_t n)
{
	const struct interp_moment unknown = { 0 };
	const struct interp_spans none = { 0 };

	c->reader = *reader;
	c->moment = moment == NULL ? unknown : *moment;
	c->stack = (struct str){ NULL, 0 };
	c->spans.n = c->bytes.len = c->sorted = c->reads = 0;
	c->max_reads = INTERP_COPY_READS;
	if (last == NULL)
		last = &none;
	if (stack != NULL) {
		stack->len = 0;
		buf_reserve(stack, n);
	} else {
		n = 0;
	}
	read_rest(c, last, read_spans(c, last, 0, stack, n));
	c->sorted = count_sorted(c);
	if (stack != NULL)
		c->stack = buf_slice(stack);
}

/* The span that has n bytes at an address, or NULL. */
static struct interp_span *
find_span(struct interp_copy *c, uint64_t address, size_t n)
{
	size_t low = 0, high = c->sorted, mid, i;
	struct interp_span *s;

	while (low < high) {
		mid = low + (high - low) / 2;
		s = &c->spans.span[mid];
		if (address < s->address)
			high = mid;
		else if (address - s->address >= s->n)
			low = mid + 1;
		else if (n <= s->n - (address - s->address))
			return s;
		else
			break;
	}
	/* What this sample has added; the last one is likely. */
	for (i = c->spans.n; i > c->sorted; i--) {
		s = &c->spans.span[i - 1];
		if (address - s->address < s->n &&
		    n <= s->n - (address - s->address))
			return s;
	}
	return NULL;
}

/* The bytes at an address, or NULL; used says whether to keep them. */
static const char *
find(struct interp_copy *c, uint64_t address, size_t n, bool used)
{
	uint64_t offset = address - c->moment.sp;
	struct interp_span *s;
	uint32_t from, to;

	if (offset < c->stack.len && n <= c->stack.len - offset)
		return c->stack.p + offset;
	s = find_span(c, address, n);
	if (s == NULL)
		return NULL;
	from = (uint32_t)(address - s->address);
	to = from + (uint32_t)n;
	if (used && s->used_from == s->used_to) {
		s->used_from = from;
		s->used_to = to;
	} else if (used) {
		s->used_from = from < s->used_from ? from : s->used_from;
		s->used_to = to > s->used_to ? to : s->used_to;
	}
	return c->bytes.p + s->at + from;
}

void
interp_copy_drop(struct interp_copy *c)
{
	c->spans.n = c->bytes.len = c->sorted = 0;
}

bool
interp_copy_has(struct interp_copy *c, uint64_t address, size_t n)
{
	return find(c, address, n, false) != NULL;
}

bool
interp_copy_read(struct interp_copy *c, uint64_t address, void *to, size_t n)
{
	const struct iovec local = { to, n }, from = remote(address, n);

	return c->reads < c->max_reads &&
	       interp_copy_read_parts(c, &local, &from, 1) == n;
}

void
interp_copy_prefetch(struct interp_copy *c, const uint64_t *address, size_t n,
		     size_t block)
{
	struct interp_span wanted[INTERP_COPY_PREFETCH];
	struct interp_spans spans = { wanted, 0, 0 };
	size_t i;

	for (i = 0; i < n && spans.n < INTERP_COPY_PREFETCH; i++) {
		if (!interp_copy_has(c, address[i], block))
			wanted[spans.n++] = (struct interp_span){
				.address = address[i], .n = (uint32_t)block
			};
	}
	if (spans.n > 0 && c->reads < c->max_reads)
		read_rest(c, &spans, 0);
}

static bool
read_block(struct interp_copy *c, uint64_t address, size_t n)
{
	struct interp_span *s;
	struct iovec to, from;
	size_t got;

	if (c->reads >= c->max_reads || address + n < address)
		return false;
	s = add_span(c, address, n);
	if (s == NULL)
		return false;
	to = (struct iovec){ c->bytes.p + s->at, n };
	from = remote(address, n);
	got = interp_copy_read_parts(c, &to, &from, 1);
	if (got == n)
		return true;
	c->bytes.len = s->at;
	c->spans.n--;
	return false;
}

bool
interp_copy_get(struct interp_copy *c, uint64_t address, void *to, size_t n,
		size_t block)
{
	const char *p = find(c, address, n, true);

	if (p == NULL) {
		if (block > n && read_block(c, address, block))
			c->spans.span[c->spans.n - 1].whole = true;
		else if (!read_block(c, address, n))
			return false;
		p = find(c, address, n, true);
	}
	memcpy(to, p, n);
	return true;
}

uint64_t
interp_copy_word(struct interp_copy *c, uint64_t address)
{
	uint64_t word;

	return address != 0 && address % sizeof(word) == 0 &&
		       interp_copy_get(c, address, &word, sizeof(word),
				       sizeof(word)) ?
		   word :
		   0;
}

bool
interp_copy_get_near(struct interp_copy *c, uint64_t address, void *to,
		     size_t n)
{
	const uint64_t start = address / PAGE * PAGE;
	const size_t before = (size_t)(address - start);

	if (find(c, address, n, false) == NULL && address + n >= address)
		read_block(c, start, before + n > PAGE ? before + n : PAGE);
	return interp_copy_get(c, address, to, n, n);
}

static int
compare(const void *a, const void *b)
{
	const struct interp_span *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

/*
 * Make one span of neighbours, so that all bytes between them are in pages that
 * have others: a part costs more than bytes do.
 */
static void
join(struct interp_spans *all)
{
	struct interp_span *s, *last = NULL;
	uint64_t end;
	size_t i;

	if (all->n > 1)
		qsort(all->span, all->n, sizeof(*all->span), compare);
	for (i = 0; i < all->n; i++) {
		s = &all->span[i];
		end = s->address + s->n;
		if (last != NULL &&
		    (s->address < last->address + last->n ||
		     (!s->whole && !last->whole &&
		      s->address - (last->address + last->n) < GAP &&
		      end - last->address < JOINED))) {
			if (end > last->address + last->n)
				last->n = (uint32_t)(end - last->address);
			last->whole |= s->whole;
			continue;
		}
		last = last == NULL ? all->span : last + 1;
		*last = *s;
	}
	all->n = last == NULL ? 0 : (size_t)(last - all->span) + 1;
}

void
interp_copy_end(const struct interp_copy *c, struct interp_spans *last)
{
	const struct interp_span *s;
	uint32_t from, n;
	size_t i;

	last->n = 0;
	last->span = mem_grow(last->span, &last->cap, c->spans.n + 1,
			      sizeof(*last->span));
	for (i = 0; i < c->spans.n; i++) {
		s = &c->spans.span[i];
		if (s->used_from == s->used_to)
			continue;
		from = s->whole ? 0 : s->used_from;
		n = s->whole ? s->n : s->used_to - s->used_from;
		/* A stack may have been deep only once. */
		if (s->whole && n > LARGE && s->used_to < n / 4)
			n /= 2;
		last->span[last->n++] = (struct interp_span){
			.address = s->address + from, .n = n, .whole = s->whole
		};
	}
	join(last);
}

void
interp_copy_want(struct interp_spans *s, uint64_t address, uint32_t n)
{
	const size_t most = 900;
	size_t i;

	if (address == 0 || s->n >= most)
		return;
	for (i = 0; i < s->n; i++) {
		if (s->span[i].address == address)
			return;
	}
	s->span = mem_grow(s->span, &s->cap, s->n + 1, sizeof(*s->span));
	s->span[s->n++] = (struct interp_span){ .address = address, .n = n };
}

void
interp_copy_free_spans(struct interp_spans *s)
{
	free(s->span);
	*s = (struct interp_spans){ 0 };
}

void
interp_copy_free(struct interp_copy *c)
{
	interp_copy_free_spans(&c->spans);
	buf_free(&c->bytes);
}
