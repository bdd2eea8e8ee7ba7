/*
 * v8times.h - the duration of each sample of V8's profiler.
 *
 * Two threads of V8 take samples, so a sample may follow a later one in the
 * file: they are sorted here.
 */
#ifndef V8TIMES_H
#define V8TIMES_H

#include <stdint.h>

struct v8times;

/* A sample lasts until the next one of its profile, or the profile's end. */
struct v8times_span {
	uint32_t profile, node; /* as they were added */
	uint64_t us;
	int64_t at; /* when it begins, as it was added */
};

struct v8times *v8times_new(void);
void v8times_free(struct v8times *t);

/* Add a sample of a node, which is any number, at a time. */
void v8times_add(struct v8times *t, uint32_t profile, uint32_t node,
		 int64_t us);

/* Add the end of a profile, once; no sample of it may be later. */
void v8times_end(struct v8times *t, uint32_t profile, int64_t us);

/*
 * Call when all are added: the next sample, by profile and time; NULL at the
 * end.  Valid until the next call.
 */
const struct v8times_span *v8times_next(struct v8times *t);

#endif
