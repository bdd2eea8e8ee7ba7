/* take.h - one thread taken: by a copy while it waits, or by a stop. */
#ifndef TAKE_H
#define TAKE_H

#include "hold.h"
#include "sampler.h"
#include "stackof.h"
#include "tasks.h"

/* A thread that was told to stop, and has not yet. */
struct waiting {
	struct tasks *tasks;
	struct task *task;
	struct look look;
};

/* What is used for all threads; made by sampler.c. */
struct taker {
	struct sampler_options options;
	struct processes *processes;
	struct build_ids *ids;
	struct holder *holder;
	struct stackof *stacks;
	enum look_count count;
	struct held_thread held;
	struct waiting *waiting; /* all of one process */
	size_t nwaiting, waiting_cap;
	struct buf copy;
	struct sampler_counts counts;
};

/* Look at the memory of a process, by one of its threads. */
void take_memory(struct taker *s, struct tasks *p, int64_t tid);

/* Take a thread, and tell of it, now or before take_rest() returns. */
void take_task(struct taker *s, struct tasks *p, struct task *t);

/* Take those that have stopped by now; wait for those that have not. */
void take_late(struct taker *s);
void take_rest(struct taker *s);

/* Stop all threads together, so that their stacks are of one moment. */
void take_together(struct taker *s, struct tasks *p);

#endif
