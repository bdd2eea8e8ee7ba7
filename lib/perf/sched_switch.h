/* sched_switch.h - when the threads of a recording ran and when they waited. */
#ifndef SCHED_SWITCH_H
#define SCHED_SWITCH_H

#include "perf/span.h"

/*
 * Follows each thread through the scheduler's events, which are given in the
 * order of time, and returns finished spans.  Times are nanoseconds on the
 * recording's clock.
 */
struct sched_switch;

/* Why a thread is off the CPU. */
enum sched_off { SCHED_OFF_UNKNOWN, SCHED_OFF_WAITS, SCHED_OFF_RUNNABLE };

/*
 * complete says that every switch is recorded unless records were lost.
 * Otherwise a thread may run although its switch to the CPU was not recorded.
 */
struct sched_switch *sched_switch_new(bool complete);
void sched_switch_free(struct sched_switch *s);

/* The recording begins at now; ignored after the first event. */
void sched_switch_begin(struct sched_switch *s, uint64_t now);

/* A thread exists since before the recording. */
void sched_switch_exists(struct sched_switch *s, int64_t pid, int64_t tid);

/* Whether any event named a thread. */
bool sched_switch_has(struct sched_switch *s, int64_t tid);

/* A parent creates a thread, which is ready to run. */
void sched_switch_fork(struct sched_switch *s, int64_t pid, int64_t tid,
		       int64_t parent, uint64_t now);

void sched_switch_exit(struct sched_switch *s, int64_t tid, uint64_t now);

/*
 * A process executes a program, on a CPU.  If a thread other than the first
 * does so, it takes over the number of the first thread, which has ended.
 */
void sched_switch_exec(struct sched_switch *s, int64_t pid, int64_t tid,
		       int64_t cpu, uint64_t now);

/* A thread is switched to a CPU, -1 if unknown. */
void sched_switch_in(struct sched_switch *s, int64_t pid, int64_t tid,
		     int64_t cpu, uint64_t now);

/* A record shows a thread on a CPU. */
void sched_switch_seen(struct sched_switch *s, int64_t pid, int64_t tid,
		       int64_t cpu, uint64_t now);

/* A thread leaves its CPU. */
void sched_switch_out(struct sched_switch *s, int64_t pid, int64_t tid,
		      uint64_t now, enum sched_off off);

/*
 * The stack and the state with which a thread is about to leave its CPU.  Call
 * it before sched_switch_out(); the stack is copied.
 */
void sched_switch_stack(struct sched_switch *s, int64_t tid,
			const struct callstack *stack, int64_t state);

/* A waiting thread becomes ready to run. */
void sched_switch_wake(struct sched_switch *s, int64_t tid, uint64_t now);

void sched_switch_group(struct sched_switch *s, int64_t tid, uint64_t cgroup);

/*
 * A sample shows a thread on a CPU and stands for at most ns.  Returns the time
 * that the thread ran without a sample, up to ns; the rest counts for the
 * samples to come.
 */
uint64_t sched_switch_sample(struct sched_switch *s, int64_t pid, int64_t tid,
			     int64_t cpu, uint64_t now, uint64_t ns);

/*
 * The recording ends, and with it every wait.  unseen includes threads of which
 * only the existence is known: they waited all the time.
 */
void sched_switch_end(struct sched_switch *s, uint64_t now, bool unseen);

/* The next finished span, valid until the next event; false if none. */
bool sched_switch_next(struct sched_switch *s, struct span *span);

/* The number of switches that must be missing between those recorded. */
uint64_t sched_switch_lost(const struct sched_switch *s);

#endif
