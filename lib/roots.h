/* roots.h - the frames at the root of a sample: process, thread ... */
#ifndef ROOTS_H
#define ROOTS_H

#include "tokens.h"

enum root {
	ROOT_COMM,
	ROOT_PID,
	ROOT_TID,
	ROOT_CPU,
	ROOT_CGROUP,
	ROOT_HOST,
	ROOT_COMM_PID, /* comm-PID, as FlameGraph's --pid */
	ROOT_COMM_TID, /* comm-PID/TID, as FlameGraph's --tid */
	ROOT_EVENT
};
#define ROOT_MAX 9

/* Which frames, and those of the last sample; begin with roots_new(). */
struct roots;

/* n kinds of frames in order; the names go into a table of the caller's. */
struct roots *roots_new(struct intern *names, const enum root *root, int n);
void roots_free(struct roots *r);

/*
 * The root frames of a sample, valid until the next call.  What is not known
 * of a sample has no frame.
 */
const struct ids *roots_of(struct roots *r, const struct sample *sample);

/* Append a name as FlameGraph has process names: one frame, without blanks. */
void roots_word(struct buf *out, struct str word);

#endif
