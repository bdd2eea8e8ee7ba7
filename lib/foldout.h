/* foldout.h - lines of folded text, or the same as a table. */
#ifndef FOLDOUT_H
#define FOLDOUT_H

#include "count.h"

/* All zero but for what differs; release with foldout_end(). */
struct foldout {
	FILE *out;
	int counts;       /* a line, 1 or 2 */
	struct count min; /* lines whose counts are all below are left out */
	bool tsv;         /* a tab before each count, not a blank */
	bool hash;        /* a first column: the stack's hash, and a tab */

	size_t hold; /* bytes that are held back, 0 for what is fast */

	struct buf text; /* where the stack of the next line is put */
	bool written;    /* something has left text */
};

/* End the line of the stack that stands in text from start on. */
void foldout_line(struct foldout *o, size_t start, const struct count *count);

/* Write what is left, and release the text. */
void foldout_end(struct foldout *o);

#endif
