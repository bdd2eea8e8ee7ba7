/* unwind_reads.h - what of a copied stack its frames depend on. */
#ifndef UNWIND_READS_H
#define UNWIND_READS_H

#include "base/str.h"

/*
 * The words that were read while a stack was unwound.  Another copy of the same
 * stack that has them, too, has the same frames, whatever its other bytes are.
 * All zero is empty; release with unwind_reads_free().
 */
struct unwind_reads {
	struct unwind_read_word {
		uint32_t offset; /* in the copy */
		uint32_t n;      /* bytes */
		uint64_t value;
	} * word;
	size_t n, cap;
	bool partial; /* others were read that are not kept */
};

void unwind_reads_free(struct unwind_reads *r);

/* n bytes at an offset were read. */
void unwind_reads_add(struct unwind_reads *r, size_t offset, const char *bytes,
		      size_t n);

/* Whether another copy has the same words. */
bool unwind_reads_hold(const struct unwind_reads *r, struct str copy);

#endif
