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
	bool lost; /* file names mean nothing */
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

bool
jitlines_find(struct jitlines *l, const struct jit_function *f, uint64_t bias,
	      uint64_t offset, struct jitdump_line *found)
{
	const uint64_t base = f->loaded + bias;
	size_t low = 0, high, mid;

	if (l->function != f)
		read_lines(l, f);
	high = l->n;
	while (low < high) {
		mid = low + (high - low) / 2;
		if (l->lines[mid].line.address <= base + offset)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == 0 || l->lines[low - 1].line.address < base)
		return false;
	*found = l->lines[low - 1].line;
	if (l->lost || !utf8_isclean(found->file))
		found->file = (struct str){ 0 };
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
