/* tracestacks.h - samples with stacks in a file of trace events. */
#ifndef TRACESTACKS_H
#define TRACESTACKS_H

#include "formats/tracethreads.h"

struct tracestacks;

/*
 * The input (for messages), the sink, the threads and the unit of weights, "us"
 * or "samples", must outlive it.
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
 * The same for frames and samples of other forms, tracechunks.c: get the number
 * of a frame's id; set the frame, with the number of its parent or
 * TRACESTACKS_ROOT; add a sample of a thread in a frame.
 */
#define TRACESTACKS_ROOT UINT32_MAX
uint32_t tracestacks_number(struct tracestacks *t, struct str id);
void tracestacks_frame(struct tracestacks *t, uint32_t number, uint32_t token,
		       uint32_t parent);
void tracestacks_add(struct tracestacks *t, uint32_t thread, uint32_t number,
		     uint64_t weight);

/* Push one sample at a time in ns, for a stream, when all frames are set. */
void tracestacks_push_sample(struct tracestacks *t, uint32_t thread,
			     uint32_t number, uint64_t weight, uint64_t ns);

/* Whether tracestacks_samples() has read a sample. */
bool tracestacks_any(const struct tracestacks *t);

/* Call at the end: pushes the sum of the samples of each stack, root first. */
void tracestacks_push(struct tracestacks *t);

#endif
