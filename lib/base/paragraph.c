/* paragraph.c - the lines up to a blank line, with a hash of them. */
#include "base/paragraph.h"

#include "base/scan.h"

#define WIDTH SCAN_WIDTH
#define LANES 4

typedef uint64_t lane __attribute__((vector_size(16)));

/*
 * A polynomial in 127 for each of eight columns of words: 16 instructions for
 * 64 bytes, where XXH3 without AVX takes 64.
 */
static inline void
hash_block(lane h[LANES], const char *p)
{
	lane v;
	unsigned i;

#pragma GCC unroll 4
	for (i = 0; i < LANES; i++) {
		memcpy(&v, p + 16 * i, sizeof(v));
		h[i] = (h[i] << 7) - h[i] + v;
	}
}

/* The hash of a text, given that of its blocks of 64 bytes. */
static inline uint64_t
hash_end(lane h[LANES], struct str text)
{
	const uint64_t odd = 0x9e3779b97f4a7c15u;
	char block[WIDTH] = "";
	uint64_t hash = text.len;
	lane all;

	if (text.len >= WIDTH) {
		hash_block(h, text.p + text.len - WIDTH);
	} else if (text.len > 0) {
		memcpy(block, text.p, text.len);
		hash_block(h, block);
	}
	all = (h[0] ^ (h[1] << 13 | h[1] >> 51)) +
	      ((h[2] << 27 | h[2] >> 37) ^ (h[3] << 41 | h[3] >> 23));
	hash = (hash ^ all[0]) * odd;
	hash = ((hash ^ hash >> 32) + all[1]) * odd;
	return (hash ^ hash >> 29) * odd;
}

bool
paragraph_find(struct paragraph *p, struct str block)
{
	lane h[LANES] = { { 0 } };
	uint64_t mask, blank, last = 1; /* a line begins here */
	size_t i;

	for (i = 0; i < block.len; i += WIDTH) {
		mask = scan(block.p + i, '\n');
		blank = mask & (mask << 1 | last);
		last = mask >> 63;
		if (blank != 0) {
			i += (size_t)__builtin_ctzll(blank);
			p->text = (struct str){ block.p, i };
			p->hash = hash_end(h, p->text);
			return i < block.len;
		}
		hash_block(h, block.p + i);
	}
	return false;
}
