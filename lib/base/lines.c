/* lines.c - index of the lines in blocks of text. */
#include "base/lines.h"

#include "base/mem.h"
#include "base/scan.h"

#include <stdlib.h>

#define WIDTH SCAN_WIDTH

size_t
lines_add(struct lines *l, struct str block)
{
	const size_t first = l->n;
	size_t i, n, *begin, *end, *full;
	uint64_t mask;

	l->begin = mem_grow(l->begin, &l->cap, first + WIDTH + 2, sizeof(*end));
	begin = end = l->begin + first;
	*end = 0;
	full = l->begin + l->cap;
	for (i = 0; i < block.len; i += WIDTH) {
		if (full - end < WIDTH + 2) {
			n = (size_t)(end - l->begin);
			l->begin = mem_grow(l->begin, &l->cap, n + WIDTH + 2,
					    sizeof(*end));
			begin = l->begin + first;
			end = l->begin + n;
			full = l->begin + l->cap;
		}
		for (mask = scan(block.p + i, '\n'); mask != 0;
		     mask &= mask - 1)
			*++end = i + (size_t)__builtin_ctzll(mask) + 1;
	}
	/* The bytes after the block may contain LF as well. */
	while (end > begin && *end > block.len)
		end--;
	l->n = (size_t)(end + 1 - l->begin);
	return (size_t)(end - begin);
}

void
lines_free(struct lines *l)
{
	free(l->begin);
	*l = (struct lines){ 0 };
}
