/* diffsorted.h - compares sorted profiles in one pass. */
#ifndef DIFFSORTED_H
#define DIFFSORTED_H

#include "folded/sorted_runs.h"

enum diffsorted_result {
	DIFFSORTED_DONE,
	DIFFSORTED_NOT_PLAIN, /* nothing written: read the inputs whole */
	DIFFSORTED_BAD        /* output is partly written; see runs->bad */
};

/*
 * Write "stack before after" lines to out, after a header if header is true.
 * Column 0 of the runs is before, column 1 is after; each run has one count a
 * line.  *tally receives the tally of all inputs only with DIFFSORTED_DONE.
 * Ends the program with status 2 if counts exceed 64 bits.
 */
enum diffsorted_result diffsorted_runs(struct sorted_runs *runs,
				       struct tally *tally, bool header,
				       FILE *out);

#endif
