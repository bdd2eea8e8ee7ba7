/* schedule.h - when the threads of a recording ran, and when they waited. */
#ifndef SCHEDULE_H
#define SCHEDULE_H

#include "span.h"

/*
 * Told of what happens in the order of time, it knows for each thread since
 * when it is on a CPU or off, and gives what is over as spans.  Times are
 * nanoseconds on the recording's clock.
 */
struct schedule;

/* Why a thread leaves its CPU. */
enum schedule_why { WHY_UNKNOWN, WHY_WAITS, WHY_RUNNABLE };

/*
 * complete says that every switch is recorded, but for those that are lost;
 * else a thread may be found running without having been seen to begin.
 */
struct schedule *schedule_new(bool complete);
void schedule_free(struct schedule *s);

/* The recording begins, if nothing was told before. */
void schedule_begin(struct schedule *s, uint64_t now);

/* A thread is there from then on; and whether anything was told of one. */
void schedule_exists(struct schedule *s, int64_t pid, int64_t tid);
bool schedule_knows(const struct schedule *s, int64_t tid);

/* A thread begins, ready to run, made by a parent; or ends. */
void schedule_fork(struct schedule *s, int64_t pid, int64_t tid, int64_t parent,
		   uint64_t now);
void schedule_exit(struct schedule *s, int64_t tid, uint64_t now);

/*
 * A process executes a program, on a CPU.  Where another thread than its first
 * one does so, it goes on with the number of that one, which has ended.
 */
void schedule_exec(struct schedule *s, int64_t pid, int64_t tid, int64_t cpu,
		   uint64_t now);

/* It comes to a CPU, -1 if unknown; is seen there; leaves it. */
void schedule_in(struct schedule *s, int64_t pid, int64_t tid, int64_t cpu,
		 uint64_t now);
void schedule_seen(struct schedule *s, int64_t pid, int64_t tid, int64_t cpu,
		   uint64_t now);
void schedule_out(struct schedule *s, int64_t pid, int64_t tid, uint64_t now,
		  enum schedule_why why);

/* Where and in which state it leaves, told before that; it is copied. */
void schedule_stack(struct schedule *s, int64_t tid,
		    const struct callstack *stack, int64_t state);

/* It waited, and is ready to run; it is in a control group. */
void schedule_wake(struct schedule *s, int64_t tid, uint64_t now);
void schedule_group(struct schedule *s, int64_t tid, uint64_t cgroup);

/*
 * It is seen by a sample that stands for at most ns: how long the thread ran
 * without a sample, up to that; what is more is kept for those to come.
 */
uint64_t schedule_sample(struct schedule *s, int64_t pid, int64_t tid,
			 int64_t cpu, uint64_t now, uint64_t ns);

/*
 * The recording ends; waits that still last end there too.  unseen asks for
 * the threads of which nothing was told but that they exist: they waited.
 */
void schedule_end(struct schedule *s, uint64_t now, bool unseen);

/* The next span that is over, valid until anything is told; false if none. */
bool schedule_next(struct schedule *s, struct span *span);

/* How many switches were missing, as what came before and behind tells. */
uint64_t schedule_lost(const struct schedule *s);

#endif
