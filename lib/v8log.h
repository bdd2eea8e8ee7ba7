/*
 * v8log.h - the log of V8's --prof: what code was where, and ticks.
 *
 * Lines of fields with commas between, in order of time; the source of
 * knowledge is tools/tickprocessor.mjs of V8.  Functions of C++ are not in it.
 */
#ifndef V8LOG_H
#define V8LOG_H

#include "reader.h"

struct v8log_options {
	bool tiers; /* V8's mark of how code was compiled before its name */
	bool state; /* what V8 was doing, as root frame */
};

/* Read a log to its end; pushes a sample for each tick, leaf first. */
void v8log_read(struct input *in, struct sink *out,
		const struct v8log_options *opt);

#endif
