/* only.h - which samples of a trace are wanted: --only. */
#ifndef ONLY_H
#define ONLY_H

#include "reader.h"

struct only;

struct only *only_new(void);
void only_free(struct only *o);

/*
 * Add a condition: time=A-B in seconds, cpu=N or N-M, pid=N, tid=N, comm=RE,
 * cgroup=RE.  Of conditions with one key any must hold, and of each key one.
 * False, with the reason appended to *why, if it is none.
 */
bool only_add(struct only *o, struct str condition, struct buf *why);

/* Whether a sample is wanted; what is not known of it fulfils nothing. */
bool only_wants(const struct only *o, const struct sample *s);

#endif
