/* change.h - a change that folddiff(1) found. */
#ifndef CHANGE_H
#define CHANGE_H

#include <stddef.h>
#include <stdint.h>

enum change_class {
	CHANGE_UP,
	CHANGE_DOWN,
	CHANGE_NEW,
	CHANGE_GONE,
	CHANGE_MOVED
};

/*
 * What is to blame: a frame without what its callees are to blame for, or a
 * function without the stacks on which another function is.
 */
struct change {
	uint32_t row; /* rows.h */
	enum change_class class;
	double x, y;          /* samples */
	double share[2];      /* of the exposure of each side */
	double ratio, lo, hi; /* of shares, with 19 in 20 intervals */
	double p, q, t;
	size_t value;     /* where its row begins in judge.value */
	uint32_t partner; /* row it may be renamed from or to, or 0 */
};

#endif
