/* tracestacks.h - samples with stacks, which may be beside trace events. */
#ifndef TRACESTACKS_H
#define TRACESTACKS_H

#include "tracethreads.h"

struct tracestacks;

/*
 * The input, for messages, the sink, the threads and the unit of weights, "us"
 * or "samples", are the caller's.
 */
struct tracestacks *tracestacks_new(struct input *in, struct sink *out,
				    struct tracethreads *threads,
				    struct str unit);
void tracestacks_free(struct tracestacks *t);

/* Read "stackFrames": {"ID": {"name": "f", "parent": "ID"}, ...}. */
void tracestacks_frames(struct tracestacks *t, struct json *j);

/* Read "samples": [{"pid": 1, "tid": 1, "sf": ID, "weight": 1}, ...]. */
void tracestacks_samples(struct tracestacks *t, struct json *j);

/*
 * What stands in other forms: the number of a frame's id, then the frame with
 * the number of its parent, if it has one; and a sample of a thread in it.
 */
#define TRACESTACKS_ROOT UINT32_MAX
uint32_t tracestacks_number(struct tracestacks *t, struct str id);
void tracestacks_frame(struct tracestacks *t, uint32_t number, uint32_t token,
		       uint32_t parent);
void tracestacks_add(struct tracestacks *t, uint32_t thread, uint32_t number,
		     uint64_t weight);

/* Whether there were samples. */
bool tracestacks_any(const struct tracestacks *t);

/* When all was read: push the samples of each stack, leaf first. */
void tracestacks_push(struct tracestacks *t);

#endif
