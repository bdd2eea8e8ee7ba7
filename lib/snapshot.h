/* snapshot.h - a stream of profiles, one a second or so; folded(5). */
#ifndef SNAPSHOT_H
#define SNAPSHOT_H

#include "reader.h"

/*
 * Stacks are added up until they are written as one snapshot, ended by a
 * blank line.
 */
struct snapshots;

/* Times are of the clock; hz is how often each thread is sampled. */
struct snapshots *snapshots_new(const char *clock, const char *hz);
void snapshots_free(struct snapshots *s);

/* A number for a frame, of which its name and its kind matter. */
uint32_t snapshots_token(struct snapshots *s, const struct frame *f);

/* A stack: tokens, leaf first, under the name of its process. */
void snapshots_begin(struct snapshots *s, struct str comm);
void snapshots_push(struct snapshots *s, uint32_t token);
void snapshots_end(struct snapshots *s, bool truncated);

/* Write what came since the last one, of this time and length, in ns. */
void snapshots_write(struct snapshots *s, uint64_t time, uint64_t length);

#endif
