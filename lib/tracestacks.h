/* tracestacks.h - samples with stacks, which may be beside trace events. */
#ifndef TRACESTACKS_H
#define TRACESTACKS_H

#include "tracethreads.h"

struct tracestacks;

/* The input, for messages, the sink and the threads are the caller's. */
struct tracestacks *tracestacks_new(struct input *in, struct sink *out,
				    struct tracethreads *threads);
void tracestacks_free(struct tracestacks *t);

/* Read "stackFrames": {"ID": {"name": "f", "parent": "ID"}, ...}. */
void tracestacks_frames(struct tracestacks *t, struct json *j);

/* Read "samples": [{"pid": 1, "tid": 1, "sf": ID, "weight": 1}, ...]. */
void tracestacks_samples(struct tracestacks *t, struct json *j);

/* Whether there were samples. */
bool tracestacks_any(const struct tracestacks *t);

/* When all was read: push the samples of each stack, leaf first. */
void tracestacks_push(struct tracestacks *t);

#endif
