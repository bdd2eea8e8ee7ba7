/*
 * tracechunks.h - profiles of V8 in a file of trace events, in chunks:
 *
 *	{"name":"Profile","ph":"P","id":"0x1","pid":1,"tid":1,
 *	 "args":{"data":{"startTime":5}}}
 *	{"name":"ProfileChunk","ph":"P","id":"0x1","pid":1,"tid":2,
 *	 "args":{"data":{"cpuProfile":{"nodes":[{"id":1,"parent":2,
 *	 "callFrame":{...}}],"samples":[1]},"timeDeltas":[4]}}}
 *
 * Their stacks are sampled, and are not among the events with times.
 */
#ifndef TRACECHUNKS_H
#define TRACECHUNKS_H

#include "formats/tracethreads.h"

struct tracechunks;

/* The input (for messages), the sink and the threads must outlive it. */
struct tracechunks *tracechunks_new(struct input *in, struct sink *out,
				    struct tracethreads *threads);
void tracechunks_free(struct tracechunks *t);

/*
 * Read "data" of the "args" of any event, in place of the previous data: the
 * name of the event may follow later.
 */
void tracechunks_data(struct tracechunks *t, struct json *j);

/* Forget the previous data, for an event that may have none. */
void tracechunks_no_data(struct tracechunks *t);

/*
 * Add the data as an event of a profile.  False, with nothing added, if the
 * event's name is another.
 */
bool tracechunks_add(struct tracechunks *t, struct str name, struct str id,
		     int64_t pid, int64_t tid);

/* Whether there were samples. */
bool tracechunks_any(const struct tracechunks *t);

/* Call at the end: pushes the time of each stack, root first, in us. */
void tracechunks_push(struct tracechunks *t);

#endif
