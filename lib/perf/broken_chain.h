/* broken_chain.h - libraries that break call chains of frame pointers. */
#ifndef BROKEN_CHAIN_H
#define BROKEN_CHAIN_H

#include "perf/callstack.h"

/*
 * Most libraries are built without frame pointers.  A chain through such a
 * library ends there or skips frames, so callers are missing.  A single stack
 * shows that only by its outermost frame: a function of a library with which no
 * thread begins.  A chain that ended in no return address was broken by the
 * outermost frame's file, be it a library or a program.
 */
struct broken_chains;

/* The note for a recording whose samples all have a single frame. */
#define BROKEN_CHAIN_NO_CALLERS STR("no sample has callers: record with -g")

/* Whether threads begin with a function, in glibc or musl. */
bool broken_chain_is_entry_point(struct str name);

/*
 * The option of a runtime with which stacks of JIT code have callers, by the
 * name of the process.  Empty if the runtime is unknown.
 */
struct str broken_chain_jit_cure(struct str process);

struct broken_chains *broken_chain_new(void);
void broken_chain_free(struct broken_chains *b);

/* Count a stack of any kind. */
void broken_chain_count(struct broken_chains *b, const struct callstack *stack);

/* Add what another thread counted. */
void broken_chain_join(struct broken_chains *b,
		       const struct broken_chains *more);

/*
 * Append a line on the library that breaks the most stacks, or on samples
 * without callers; false if there is nothing to report or it was reported.
 */
bool broken_chain_note(struct broken_chains *b, struct buf *line);

#endif
