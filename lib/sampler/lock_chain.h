/* lock_chain.h - the owners of locks, from a waiting thread to the last one. */
#ifndef LOCK_CHAIN_H
#define LOCK_CHAIN_H

#include "sampler/live_threads.h"

/* More than any program nests, less than an endless chain. */
enum { LOCK_CHAIN_MAX = 32 };

struct lock_link {
	int64_t tid;
	struct str name; /* of the thread; empty if it is of another process */
	bool is_join;    /* its end is awaited, not its lock */
};

/* Valid until threads are listed or described; release with lock_chain_free().
 */
struct lock_chain {
	struct lock_link link[LOCK_CHAIN_MAX]; /* each waits for the next one */
	size_t n;
	bool is_deadlock; /* the last one waits for one before it */
	struct buf last;  /* what the last one does: "in fsync on /a/b" */
};

/* Make a chain empty. */
void lock_chain_clear(struct lock_chain *chain);

/* Follow the owners from a thread that waits; chain is empty if it has none. */
void lock_chain_find(struct live_threads *l, struct live_thread *t,
		     enum thread_state_counter counter,
		     struct lock_chain *chain);
void lock_chain_free(struct lock_chain *chain);

#endif
