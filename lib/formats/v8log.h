/*
 * v8log.h - reads the log of V8's --prof: code addresses and ticks.
 *
 * Lines of fields separated by commas, in order of time.  The log has no
 * functions of C++.  Source: tools/tickprocessor.mjs of V8.
 */
#ifndef V8LOG_H
#define V8LOG_H

#include "reader/reader.h"

struct v8log_options {
	bool tiers; /* V8's mark of the tier before each name */
	bool state; /* V8's state as root frame */
};

/* Read a log to its end and push a sample for each tick, leaf first. */
void v8log_read(struct input *in, struct sink *out,
		const struct v8log_options *opt);

#endif
