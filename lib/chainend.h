/* chainend.h - where chains of frame pointers end too early. */
#ifndef CHAINEND_H
#define CHAINEND_H

#include "callstack.h"

/*
 * A library that was built without frame pointers, as most are, ends a chain,
 * or loses some of it: callers of whoever calls it are missing.  That cannot
 * be seen in a stack but by what stands at its end: a library's function that
 * no thread begins with.
 */
struct chainends;

/* What is said of a recording in which each sample is one frame. */
#define CHAINEND_NO_CALLERS STR("no sample has callers: record with -g")

struct chainends *chainends_new(void);
void chainends_free(struct chainends *c);

/* Count a stack, of whatever sort. */
void chainends_count(struct chainends *c, const struct callstack *stack);

/* As resolver_note(): the file where most end, if they are not a few. */
bool chainends_note(struct chainends *c, struct buf *line);

#endif
