/* change.h - one change that folddiff(1) reports. */
#ifndef CHANGE_H
#define CHANGE_H

#include <stddef.h>
#include <stdint.h>

enum change_class {
	CHANGE_UP,
	CHANGE_DOWN,
	CHANGE_NEW,
	CHANGE_GONE,
	CHANGE_MOVED,
	CHANGE_LARGER, /* not beyond noise, but among the largest */
	CHANGE_SMALLER
};

/*
 * A frame, without the samples that changes of its callees explain; or a
 * function, without the stacks that another changed function explains.
 */
struct change {
	uint32_t row; /* sample_matrix.h */
	enum change_class class;
	double x, y;          /* samples before and after */
	double share[2];      /* of each side's exposure */
	double ratio, lo, hi; /* of the shares, and its 95 % interval */
	double p, q, t;       /* as in struct test */
	size_t samples;       /* where its row starts in significance.samples */
	uint32_t partner;     /* row it may be renamed from or to, or 0 */
};

#endif
