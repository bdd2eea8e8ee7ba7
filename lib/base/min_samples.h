/* min_samples.h - how many calls and samples a comparison needs. */
#ifndef MIN_SAMPLES_H
#define MIN_SAMPLES_H

#include "base/buf.h"

/* Whether a part of a profile has too few calls, or samples in calls. */
static inline bool
min_samples_missing(double calls, double samples)
{
	return calls < 30 || samples < 100;
}

/* Append "thin: 12 calls, 40 samples". */
static inline void
min_samples_describe(struct buf *out, double calls, double samples)
{
	buf_printf(out, "thin: %.0f call%s, %.0f sample%s", calls,
		   calls == 1 ? "" : "s", samples, samples == 1 ? "" : "s");
}

#endif
