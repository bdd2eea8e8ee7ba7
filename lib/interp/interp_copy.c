/* interp_copy.c - parts of a process's memory, copied at one moment. */
#include "interp/interp_copy.h"

#include "base/mem.h"

#include <stdlib.h>

/* process_vm_readv(2) takes at most IOV_MAX parts, one of which is the stack.
 */
enum { MAX_PARTS = 1000 };

static size_t
read_parts(struct interp_copy *c, const struct iovec *to,
	   const struct iovec *from, size_t n)
{
	ssize_t got;

	c->reads++;
	if (c->reader.read != NULL)
		return c->reader.read(c->reader.arg, to, from, n);
	got = process_vm_readv((pid_t)c->reader.tid, to, n, from, n, 0);
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
	*s = (struct interp_span){ address, (uint32_t)n, (uint32_t)c->bytes.len,
				   false };
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
	size_t parts = 0, got, first, begin = c->spans.n, from_span = i;

	if (n > 0) {
		to[parts] = (struct iovec){ stack->p, n };
		from[parts++] = remote(c->moment.sp, n);
	}
	first = parts;
	for (; i < last->n && parts < MAX_PARTS; i++, parts++) {
		if (add_span(c, last->span[i].address, last->span[i].n) == NULL)
			break;
	}
	for (i = first; i < parts; i++) {
		s = &c->spans.span[begin + i - first];
		to[i] = (struct iovec){ c->bytes.p + s->at, s->n };
		from[i] = remote(s->address, s->n);
	}
	got = parts == 0 ? 0 : read_parts(c, to, from, parts);
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
	c->spans.n = c->bytes.len = c->next = c->reads = 0;
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
	if (stack != NULL)
		c->stack = buf_slice(stack);
}

/* The bytes at an address, or NULL; used says whether to keep them. */
static const char *
find(struct interp_copy *c, uint64_t address, size_t n, bool used)
{
	uint64_t offset = address - c->moment.sp;
	struct interp_span *s;
	size_t i;

	if (offset < c->stack.len && n <= c->stack.len - offset)
		return c->stack.p + offset;
	/* Frames are mostly walked in the order of the last sample. */
	for (i = 0; i < c->spans.n; i++, c->next++) {
		if (c->next >= c->spans.n)
			c->next = 0;
		s = &c->spans.span[c->next];
		offset = address - s->address;
		if (offset < s->n && n <= s->n - offset) {
			s->used |= used;
			return c->bytes.p + s->at + offset;
		}
	}
	return NULL;
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

	return c->reads < c->max_reads && read_parts(c, &local, &from, 1) == n;
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
	got = read_parts(c, &to, &from, 1);
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
		if (!(block > n && read_block(c, address, block)) &&
		    !read_block(c, address, n))
			return false;
		c->next = c->spans.n - 1;
		p = find(c, address, n, true);
	}
	memcpy(to, p, n);
	return true;
}

void
interp_copy_end(const struct interp_copy *c, struct interp_spans *last)
{
	size_t i;

	last->n = 0;
	last->span = mem_grow(last->span, &last->cap, c->spans.n + 1,
			      sizeof(*last->span));
	for (i = 0; i < c->spans.n; i++) {
		if (c->spans.span[i].used)
			last->span[last->n++] = c->spans.span[i];
	}
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
