/*
 * tracechunks.h - profiles of V8 that stand among trace events, in chunks:
 *
 *	{"name":"Profile","ph":"P","id":"0x1","pid":1,"tid":1,
 *	 "args":{"data":{"startTime":5}}}
 *	{"name":"ProfileChunk","ph":"P","id":"0x1","pid":1,"tid":2,
 *	 "args":{"data":{"cpuProfile":{"nodes":[{"id":1,"parent":2,
 *	 "callFrame":{...}}],"samples":[1]},"timeDeltas":[4]}}}
 *
 * Their stacks are sampled: nothing of them is in the events with times.
 */
#ifndef TRACECHUNKS_H
#define TRACECHUNKS_H

#include "tracethreads.h"

struct tracechunks;

/* The input, for messages, the sink and the threads are the caller's. */
struct tracechunks *tracechunks_new(struct input *in, struct sink *out,
				    struct tracethreads *threads);
void tracechunks_free(struct tracechunks *t);

/*
 * Read "data" of any event's "args": what event it is may come behind it.  It
 * replaces what was read before.
 */
void tracechunks_data(struct tracechunks *t, struct json *j);

/* The same if it has none. */
void tracechunks_no_data(struct tracechunks *t);

/* What was read is of such an event; false if its name is of no profile. */
bool tracechunks_take(struct tracechunks *t, struct str name, struct str id,
		      int64_t pid, int64_t tid);

/* Whether there were samples. */
bool tracechunks_any(const struct tracechunks *t);

/* When all was read: push the samples of each stack, leaf first, in us. */
void tracechunks_push(struct tracechunks *t);

#endif
