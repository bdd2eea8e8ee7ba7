/* diffstream.h - compares each snapshot of a stream with the earlier ones. */
#ifndef DIFFSTREAM_H
#define DIFFSTREAM_H

#include "diff/diffreport.h"

struct diffstream_option {
	struct significance_option significance;
	bool strip_hex;          /* as in comparison.h */
	struct palette *palette; /* or NULL */
};

/*
 * Read a stream of snapshots, folded(5).  After each snapshot, write a line for
 * each change against the average of the earlier snapshots: the snapshot's time
 * and the change.  Changes that the previous snapshot had too are not repeated.
 * A last snapshot without a blank line after it is ignored.
 *
 * Return false if the stream has too few snapshots to compare any.  Ends the
 * program with status 2 if sums exceed 64 bits.
 */
bool diffstream(const struct diffstream_option *o, struct input *in, FILE *out);

#endif
