/* stacksample_notes.h - what stacksample(1) says on standard error at its end.
 */
#ifndef STACKSAMPLE_NOTES_H
#define STACKSAMPLE_NOTES_H

#include "sampler/jit_refresh.h"
#include "sampler/stacksample_options.h"

struct stacksample_notes {
	const struct stacksample_options *options;
	struct sampler *sampler;
	struct jit_refresh *jit;
	double lowest_hz; /* that --max-cpu led to */
	double mean_hz;   /* of all rounds */
};

/* Print what was counted, and what is missing. */
void stacksample_notes_print(const struct stacksample_notes *n);

/*
 * Say why there is no sample.  It is no error if no thread ran, or none waited,
 * and only such threads were asked for.
 */
void stacksample_notes_empty(const struct stacksample_options *o,
			     const struct sampler_counts *c);

#endif
