/* widthbin.h - logarithmic bins of widths, to find which frames to draw. */
#ifndef WIDTHBIN_H
#define WIDTHBIN_H

#include <stddef.h>
#include <stdint.h>

/* Widths are sorted into bins: 64 for each power of two. */
#define WIDTHBIN_BITS 6
#define WIDTHBINS ((64 << WIDTHBIN_BITS) + 1)

/* The bin of a width, from 0; never lower for a greater width. */
static inline size_t
widthbin(uint64_t width)
{
	unsigned shift;

	if (width == 0)
		return 0;
	shift = 63 - (unsigned)__builtin_clzll(width);
	width = shift < WIDTHBIN_BITS ? width << (WIDTHBIN_BITS - shift) :
					width >> (shift - WIDTHBIN_BITS);
	return ((size_t)shift << WIDTHBIN_BITS) +
	       (width & ((1 << WIDTHBIN_BITS) - 1)) + 1;
}

#endif
