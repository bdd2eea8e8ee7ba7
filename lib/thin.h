/* thin.h - how little is too little to tell calls apart by. */
#ifndef THIN_H
#define THIN_H

#include "buf.h"

/* Whether a part of a profile is of so few calls, or samples in them. */
static inline bool
is_thin(double calls, double samples)
{
	return calls < 30 || samples < 100;
}

/* Append "thin: 12 calls, 40 samples". */
static inline void
thin_add(struct buf *out, double calls, double samples)
{
	buf_printf(out, "thin: %.0f call%s, %.0f sample%s", calls,
		   calls == 1 ? "" : "s", samples, samples == 1 ? "" : "s");
}

#endif
