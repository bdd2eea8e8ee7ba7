/* foldout.h - writer of folded text, or of the same as a table. */
#ifndef FOLDOUT_H
#define FOLDOUT_H

#include "base/count.h"

/*
 * All zero at the start but for out, counts and what differs; release with
 * foldout_end().
 */
struct foldout {
	FILE *out;
	int counts;       /* per line, 1 or 2 */
	struct count min; /* skip lines whose counts are all below this */
	bool tsv;         /* a tab before each count instead of a blank */
	bool hash;        /* a first column with the XXH64 of the stack */

	size_t buffer; /* bytes to collect before a write, 0 for 64 KB */

	struct buf text; /* append the stack of the next line here */
	bool written;    /* part of the output has been written */
};

/* Finish the line whose stack is in o->text from start on: add its counts. */
void foldout_line(struct foldout *o, size_t start, const struct count *count);

/* Write the rest and release o->text. */
void foldout_end(struct foldout *o);

#endif
