/*
 * v8times.h - for how long each sample of V8's profiler lasted.
 *
 * Two threads of V8 take samples, so one may come behind another that was
 * taken later: they are put in order.
 */
#ifndef V8TIMES_H
#define V8TIMES_H

#include <stdint.h>

struct v8times;

/* A sample lasts until the next one of its profile, or the profile's end. */
struct v8span {
	uint32_t profile, node; /* as they were added */
	uint64_t us;
};

struct v8times *v8times_new(void);
void v8times_free(struct v8times *t);

/* A node of a profile, any number, was seen at this time. */
void v8times_add(struct v8times *t, uint32_t profile, uint32_t node,
		 int64_t us);

/* A profile ends, once, and no sample of it is later. */
void v8times_end(struct v8times *t, uint32_t profile, int64_t us);

/*
 * When all were added: the next sample in order of profiles and times; NULL if
 * none is left.  Valid until the next call.
 */
const struct v8span *v8times_next(struct v8times *t);

#endif
