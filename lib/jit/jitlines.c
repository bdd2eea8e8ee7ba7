/* jitlines.c - source lines of the functions of a jitdump. */
#include "jit/jitlines.h"

#include "base/mem.h"
#include "base/utf8.h"

#include <stdlib.h>

struct numbered_line {
	struct jitdump_line line;
	size_t order; /* in the dump */
};

struct jitlines {
	struct jitdump *dump;
	const struct jit_function *function; /* whose lines; NULL: no one's */
	struct buf bytes;
	struct numbered_line *lines; /* by address */
	size_t n, cap;
	bool lost;  /* file names mean nothing */
	bool skips; /* lines of inlined functions */
};

struct jitlines *
jitlines_new(struct jitdump *dump)
{
	struct jitlines *l = mem_zero(1, sizeof(*l));

	l->dump = dump;
	return l;
}

void
jitlines_free(struct jitlines *l)
{
	if (l == NULL)
		return;
	buf_free(&l->bytes);
	free(l->lines);
	free(l);
}

static int
by_address(const void *a, const void *b)
{
	const struct numbered_line *x = a, *y = b;

	if (x->line.address != y->line.address)
		return x->line.address < y->line.address ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

static struct jitdump_lines
read_bytes(struct jitlines *l, const struct jit_function *f, size_t n)
{
	l->function = NULL;
	l->bytes.len = 0;
	buf_reserve(&l->bytes, n);
	if (jitdump_read(l->dump, f->lines.at, l->bytes.p, n))
		l->bytes.len = n;
	return jitdump_lines(buf_slice(&l->bytes), jitdump_swapped(l->dump),
			     f->loaded, f->size);
}

static void
read_lines(struct jitlines *l, const struct jit_function *f)
{
	struct jitdump_lines lines = read_bytes(l, f, f->lines.len);
	struct jitdump_line line;
	bool sorted = true;

	for (l->n = 0; jitdump_line(&lines, &line); l->n++) {
		if (l->n > 0 && line.address < l->lines[l->n - 1].line.address)
			sorted = false;
		l->lines = mem_grow(l->lines, &l->cap, l->n + 1,
				    sizeof(*l->lines));
		l->lines[l->n] = (struct numbered_line){ line, l->n };
	}
	if (!sorted)
		qsort(l->lines, l->n, sizeof(*l->lines), by_address);
	l->lost = lines.lost;
	l->function = f;
}

static bool
is_own(const struct jitdump_line *line, struct str own)
{
	return str_eq(line->file, own);
}

/* Whether the function has a line of its own. */
static bool
has_own(const struct jitlines *l, struct str own)
{
	size_t i;

	for (i = 0; own.len > 0 && !l->lost && i < l->n; i++) {
		if (is_own(&l->lines[i].line, own))
			return true;
	}
	return false;
}

/* The number of lines at or before an address. */
static size_t
count_before(const struct jitlines *l, uint64_t address)
{
	size_t low = 0, high = l->n, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (l->lines[mid].line.address <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

bool
jitlines_find(struct jitlines *l, const struct jit_function *f, struct str own,
	      uint64_t bias, uint64_t offset, struct jitdump_line *found)
{
	const uint64_t base = f->loaded + bias;
	size_t n;

	if (l->function != f) {
		read_lines(l, f);
		l->skips = has_own(l, own);
	}
	n = count_before(l, base + offset);
	while (l->skips && n > 0 && !is_own(&l->lines[n - 1].line, own))
		n--;
	if (n == 0 || l->lines[n - 1].line.address < base)
		return false;
	*found = l->lines[n - 1].line;
	if (l->lost || !utf8_isclean(found->file))
		found->file = (struct str){ 0 };
	return true;
}

bool
jitlines_find_end(struct jitlines *l, const struct jit_function *f,
		  uint64_t offset, struct jitdump_line *found)
{
	size_t n;

	if (l->function != f)
		read_lines(l, f);
	n = count_before(l, f->loaded + offset);
	n -= n > 0 && n == l->n;
	while (n > 0 &&
	       l->lines[n - 1].line.address == l->lines[n].line.address)
		n--;
	if (l->n == 0 || l->lost || !utf8_isclean(l->lines[n].line.file))
		return false;
	*found = l->lines[n].line;
	return true;
}

bool
jitlines_first(struct jitlines *l, const struct jit_function *f,
	       uint64_t *address)
{
	struct jitdump_lines lines;

	if (f->lines.len < sizeof(*address))
		return false;
	lines = read_bytes(l, f, sizeof(*address));
	*address = cursor_u64(&lines.c);
	return true;
}
