/* v8cpu.h - reads a .cpuprofile of V8: a tree of calls, and samples of it. */
#ifndef V8CPU_H
#define V8CPU_H

#include "codec/json.h"
#include "reader/reader.h"

struct v8cpu;

/* The input (for messages) and the sink must outlive it. */
struct v8cpu *v8cpu_new(struct input *in, struct sink *out);
void v8cpu_free(struct v8cpu *p);

/*
 * Read a member of the profile.  False, with nothing read, if the key is
 * another, or if the member precedes those it refers to.
 */
bool v8cpu_member(struct v8cpu *p, struct json *j, struct str key);

/* Whether there were samples. */
bool v8cpu_any(const struct v8cpu *p);

/* Call at the end: pushes the samples of each node, leaf first. */
void v8cpu_push(struct v8cpu *p);

#endif
