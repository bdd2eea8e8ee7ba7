/* taken.h - threads that were taken, until they are told of. */
#ifndef TAKEN_H
#define TAKEN_H

#include "take.h"

/* Look at the memory of a process, by one of its threads. */
void taken_look(struct taker *s, struct tasks *p, int64_t tid);

/* Do so, once a round, if a thread is where no memory is known. */
void taken_know(struct taker *s, struct tasks *p, int64_t tid, uint64_t sp,
		uint64_t pc);

/* A thread with the frames it has now, or with none at all. */
struct taken *taken_add(struct taker *s, struct task *t,
			const struct look *look);
void taken_add_nothing(struct taker *s, struct task *t,
		       const struct look *look);

/* One that was held just now, whose copy is taken from s->held. */
void taken_add_held(struct taker *s, struct task *t, const struct look *look);

/* The frames of a thread that is not held any more, as it was then. */
void taken_unwind(struct taker *s, struct tasks *p, struct task *t,
		  const struct held_thread *held);

/* Tell of all that were taken. */
void taken_tell(struct taker *s, struct tasks *p);

#endif
