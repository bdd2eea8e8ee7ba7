/* zip.h - sorted profiles of two sides, compared in one pass. */
#ifndef ZIP_H
#define ZIP_H

#include "runs.h"

enum zip_result {
	ZIP_DONE,
	ZIP_NOT_PLAIN, /* nothing is written: they have to be read whole */
	ZIP_BAD        /* something is written, and runs->bad is bad */
};

/*
 * Write "stack before after" lines for runs whose columns are their sides,
 * each with one count a line.  The tally is that of all inputs; where they
 * are not plain it is as it was.  Ends the program with status 2 where counts
 * exceed 64 bits.
 */
enum zip_result zip_runs(struct runs *runs, struct tally *tally, FILE *out);

#endif
