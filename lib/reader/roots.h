/* roots.h - the frames at the root of a sample: process, thread ... */
#ifndef ROOTS_H
#define ROOTS_H

#include "reader/tokens.h"

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

/* The kinds of root frames, and a cache of those of earlier samples. */
struct roots;

/* The root frames of a sample. */
struct root_frames {
	struct ids ids;
	uint64_t serial; /* not 0; if it is equal, so are the frames */
};

/*
 * n kinds of root frames, outermost first.  Their names are added to the
 * table, which the caller owns and which must outlive the roots.
 */
struct roots *roots_new(struct intern *names, const enum root *root, int n);
void roots_free(struct roots *r);

/*
 * The root frames of a sample, valid until the next call.  A kind that the
 * sample does not know gives no frame.
 */
const struct root_frames *roots_of(struct roots *r,
				   const struct sample *sample);

/* Never return the serial numbers again that roots_of() has returned. */
void roots_renew(struct roots *r);

/* A kind of root frame that no sample had so far; NULL if there is none. */
const char *roots_missing(const struct roots *r);

/* Note which kinds the samples of another reader had. */
void roots_join(struct roots *r, const struct roots *other);

#endif
