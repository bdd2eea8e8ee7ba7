/* diffstream.h - each snapshot of a stream next to those before it. */
#ifndef DIFFSTREAM_H
#define DIFFSTREAM_H

#include "diffreport.h"

struct diffstream_option {
	struct judge_option judge;
	bool strip_hex;          /* names, as sides.h has it */
	struct palette *palette; /* or NULL */
};

/*
 * Read a stream of snapshots, folded(5), and after each write a line for what
 * changed in it and had not in the one before: its time, and the change next
 * to the average of all earlier ones.  What follows the last blank line does
 * not count.  False if there is something, but too little to compare.  Ends the
 * program with status 2 where sums exceed 64 bits.
 */
bool diffstream(const struct diffstream_option *o, struct input *in, FILE *out);

#endif
