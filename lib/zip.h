/* zip.h - sorted profiles of two sides, compared in one pass. */
#ifndef ZIP_H
#define ZIP_H

#include "folded.h"
#include "sides.h"

/* An input: its profile, and the line of it that is next. */
struct zip_input {
	const char *path;
	enum side side;
	int counts; /* a line: 1 where an option says so */

	/* Below here is zip.c's own. */
	struct input in;
	struct folded f;
	bool more;
};

enum zip_result {
	ZIP_DONE,
	ZIP_NOT_PLAIN, /* nothing is written: they have to be read whole */
	ZIP_DISORDER   /* *where is out of order, and something is written */
};

/*
 * Write "stack before after" lines for n inputs, each with one count a line
 * and no metadata but a header at its start, in memory of a few lines.  The
 * tally is that of all inputs; where they are not plain it is as it was.  Ends
 * the program with status 2 where counts exceed 64 bits.
 */
enum zip_result zip_inputs(struct zip_input *input, size_t n,
			   struct tally *tally, FILE *out,
			   struct zip_input **where);

#endif
