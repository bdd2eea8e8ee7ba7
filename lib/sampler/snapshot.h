/* snapshot.h - write a stream of profiles, as in folded(5). */
#ifndef SNAPSHOT_H
#define SNAPSHOT_H

#include "reader/reader.h"

/*
 * Stacks are merged until they are written as one snapshot, which ends with a
 * blank line.
 */
struct snapshots;

/* The processes that are sampled, for the header of each snapshot. */
struct snapshot_source {
	struct str comm; /* their name, borrowed; empty if unknown */
	int64_t pid;     /* -1 if there are several */
};

/*
 * clock is the name of the clock that times are of; hz is the sampling rate of
 * each thread.  Both strings are the caller's and outlive s.  with_tid: stacks
 * begin with NAME-PID/TID, not with NAME alone.
 */
struct snapshots *snapshot_new(const char *clock, const char *hz, bool with_tid,
			       const struct snapshot_source *from);
void snapshot_free(struct snapshots *s);

/* A token for a frame, from its name and kind; valid as long as s. */
uint32_t snapshot_token(struct snapshots *s, const struct frame *f);

/*
 * Add one stack: its tokens, or names as snapshot_stack() has them, leaf first,
 * below its thread.
 */
void snapshot_begin(struct snapshots *s, struct str comm, int64_t pid,
		    int64_t tid);
void snapshot_push(struct snapshots *s, uint32_t token);
void snapshot_push_names(struct snapshots *s, const uint32_t *id, size_t n);
void snapshot_end(struct snapshots *s, bool truncated);

/*
 * The names that the stack has until now, leaf first, without the thread's.
 * Valid until more are added, or the next stack.
 */
const uint32_t *snapshot_stack(const struct snapshots *s, size_t *n);

/* The table of all names. */
const struct intern *snapshot_names(const struct snapshots *s);

/* What a snapshot covers. */
struct snapshot_span {
	uint64_t time, length; /* ns */
	uint64_t rounds;       /* over all threads */
};

/* Write the stacks since the last snapshot to standard output. */
void snapshot_write(struct snapshots *s, const struct snapshot_span *span);

#endif
