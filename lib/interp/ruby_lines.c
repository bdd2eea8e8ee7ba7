/*
 * ruby_lines.c - source lines of Ruby's instruction sequences.
 *
 * The index, of iseq.c, counts the entries up to each position.  For the first
 * positions there are numbers of 7 bits.  Then blocks follow: a number for the
 * whole block, numbers of 9 bits for its words but the first, and a bit for
 * each position where an entry begins.
 */
#include "interp/ruby_lines.h"

#include "base/peek.h"

enum {
	FIRST = 54, /* positions that have numbers */
	FIRST_WORD = 9,
	FIRST_BYTES = FIRST / FIRST_WORD * 8,
	BLOCK = 512, /* positions of a block */
	BLOCK_BYTES = 80,
	BLOCK_RANKS = 8,
	BLOCK_BITS = 16
};

size_t
ruby_lines_index_size(uint32_t words)
{
	size_t blocks = 0;

	if (words > FIRST)
		blocks = (words - FIRST + BLOCK - 1) / BLOCK;
	return FIRST_BYTES + blocks * BLOCK_BYTES;
}

/* How many entries begin up to a position; 0 if the index is too short. */
static uint64_t
rank(struct str index, uint64_t position)
{
	uint64_t bits, n;
	const char *block;
	size_t word;

	if (position < FIRST) {
		if (index.len < FIRST_BYTES)
			return 0;
		return peek_u64(index.p, position / FIRST_WORD * 8) >>
			   position % FIRST_WORD * 7 &
		       0x7f;
	}
	position -= FIRST;
	if (index.len < FIRST_BYTES ||
	    position / BLOCK >= (index.len - FIRST_BYTES) / BLOCK_BYTES)
		return 0;
	block = index.p + FIRST_BYTES + position / BLOCK * BLOCK_BYTES;
	word = position % BLOCK / 64;
	n = peek_u32(block, 0);
	if (word > 0)
		n += peek_u64(block, BLOCK_RANKS) >> (word - 1) * 9 & 0x1ff;
	bits = peek_u64(block, BLOCK_BITS + word * 8) << (63 - position % 64);
	return n + (uint64_t)__builtin_popcountll(bits);
}

uint32_t
ruby_lines_find(struct str insns, size_t insn_size, struct str index,
		uint64_t position)
{
	const size_t n = insns.len / insn_size;
	const uint64_t entry = n == 1 ? 1 : rank(index, position);

	if (entry == 0 || entry > n)
		return 0;
	return peek_u32(insns.p, (entry - 1) * insn_size);
}
