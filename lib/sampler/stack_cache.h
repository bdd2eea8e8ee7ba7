/* stack_cache.h - the last unwound stack of a thread, for as long as it is
 * valid. */
#ifndef STACK_CACHE_H
#define STACK_CACHE_H

#include "sampler/thread_state.h"
#include "sampler/unwind_copy.h"

/* All zero is empty; release with stack_cache_free(). */
struct stack_cache {
	struct stack_frames frames;

	/* The thread waited in this state, and frames are its stack. */
	bool waiting;
	struct thread_state state;
	unsigned hits; /* how often it still waited later */

	/*
	 * Or: frames are the stack that has these bytes, from sp on, at this
	 * pc.  The thread was stopped, so all of its registers were known.
	 */
	struct buf bytes;
	uint64_t sp, pc;
};

/* The thread waits in this state, and frames will be its stack. */
void stack_cache_set_waiting(struct stack_cache *k,
			     const struct thread_state *state);

/* Whether the thread has not run since then.  Counts a hit. */
bool stack_cache_hit(struct stack_cache *k, const struct thread_state *state);

/* Whether the thread has waited for many rounds. */
bool stack_cache_is_long_wait(const struct stack_cache *k);

/* Forget the state: the thread runs, or is about to. */
void stack_cache_clear_waiting(struct stack_cache *k);

/* Frames are the stack with these bytes. */
void stack_cache_set_bytes(struct stack_cache *k, uint64_t sp, uint64_t pc,
			   struct str bytes);

/* Whether frames are the stack of a thread that waits here. */
bool stack_cache_has_bytes(const struct stack_cache *k,
			   const struct proc_call *call, struct str bytes);

void stack_cache_clear_bytes(struct stack_cache *k);

void stack_cache_free(struct stack_cache *k);

#endif
