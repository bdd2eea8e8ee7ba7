/* readdata.h - a recording of perf, read into a sink. */
#ifndef READDATA_H
#define READDATA_H

#include "jitopt.h"
#include "profile.h"
#include "reader.h"

struct readdata {
	const struct profile_options *options; /* but for jit and sorted */
	const struct jitopt *jit;              /* may name JIT code */
	/* Called for each new frame, to change it; or NULL. */
	void (*change)(void *arg, struct frame *f);
	void *arg;
};

void readdata(const struct readdata *how, struct input *in, struct sink *out);

#endif
