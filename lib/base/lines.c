/* lines.c - index of the lines in a block of text. */
#include "base/lines.h"

#include "base/mem.h"
#include "base/scan.h"

#include <stdlib.h>

#define WIDTH SCAN_WIDTH

void
lines_find(struct lines *l, struct str block)
{
	size_t i, n, *end, *full;
	uint64_t mask;

	l->begin = mem_grow(l->begin, &l->cap, WIDTH + 2, sizeof(*end));
	l->begin[0] = 0;
	end = l->begin;
	full = end + l->cap;
	for (i = 0; i < block.len; i += WIDTH) {
		if (full - end < WIDTH + 2) {
			n = (size_t)(end - l->begin);
			l->begin = mem_grow(l->begin, &l->cap, n + WIDTH + 2,
					    sizeof(*end));
			end = l->begin + n;
			full = l->begin + l->cap;
		}
		for (mask = scan(block.p + i, '\n'); mask != 0;
		     mask &= mask - 1)
			*++end = i + (size_t)__builtin_ctzll(mask) + 1;
	}
	/* The bytes after the block may contain LF as well. */
	while (end > l->begin && *end > block.len)
		end--;
	l->n = (size_t)(end - l->begin);
}

void
lines_free(struct lines *l)
{
	free(l->begin);
	*l = (struct lines){ 0 };
}
