/* sampler.h - sample the stacks of all threads of running processes. */
#ifndef SAMPLER_H
#define SAMPLER_H

#include "interp/interp_functions.h"
#include "interp/interp_merge.h"
#include "sampler/live_process.h"
#include "sampler/lock_chain.h"
#include "sampler/lock_holders.h"
#include "symbols/resolve.h"
#include "unwind/unwind.h"

enum sampler_which { SAMPLER_ALL, SAMPLER_RUNNING, SAMPLER_BLOCKED };

struct thread_sample {
	uint64_t time; /* of CLOCK_MONOTONIC, in ns */
	int64_t pid, tid;
	char state;      /* R if it runs, otherwise as in proc(5) */
	struct str call; /* the system call it waits in, or empty */
	/* A better word for what it waits for than the call, or empty. */
	struct str label;
	int64_t owner; /* of the lock that it waits for; 0: none, unknown */
	const struct lock_chain *chain; /* from that owner on; may be empty */
	struct str file;  /* that it waits for in state D, or empty */
	struct str wchan; /* the kernel function it waits in, or empty */
	struct str name;  /* of the thread */
	/*
	 * A task that a runtime schedules: then tid is 0, name is its kind, and
	 * call says whether it awaits or is ready.
	 */
	bool is_task;
	struct str task;                  /* its own name; may be empty */
	const struct unwind_frame *frame; /* leaf first */
	size_t n;
	/*
	 * A cache for whoever formats the frames.  It belongs to this thread,
	 * and is emptied when the frames change.  Who formats sets the key to 0
	 * if equal frames may have other names later.
	 */
	struct buf *text;
	uint64_t *text_key;
	/* Frames of an interpreter among these. */
	const struct interp_entries *vm;
	enum interp_lock lock; /* of the interpreter: held, or waited for */
	bool truncated;        /* callers are missing */
	bool moving; /* the stack is newer than the state, or missing */
};

struct sampler_options {
	enum sampler_which which;
	bool no_stop;    /* stop no thread: those that run have no stack */
	bool consistent; /* stop all threads of a process together */
	/* Receives functions of interpreters; NULL: native frames only. */
	struct interp_functions *functions;
	bool with_requests;   /* frames begin with the request of a server */
	bool with_tasks;      /* suspended tasks of runtimes, too, */
	bool with_task_names; /* by their names */
	size_t max_stack;     /* copy at most this many bytes of a stack */
	uint64_t wait; /* how long a round waits for threads to stop, in ns */
	/* Whether to sample threads with a name; NULL: all threads. */
	bool (*match_name)(void *arg, struct str name);
	/* Called for each sample, which is valid during the call. */
	void (*sample)(void *arg, const struct thread_sample *s);
	void *arg;
	struct live_process_events events;
};

struct sampler;

/*
 * The sampler reports programs and mappings to processes, and unwinds with r,
 * a resolver for these processes.  Both are the caller's and outlive it.
 *
 * Blocks SIGCHLD, and TRACER_THREAD_NEWS, which comes when a thread has stopped
 * or a child of ours has ended.  There can be only one sampler at a time.
 */
struct sampler *sampler_new(const struct sampler_options *options,
			    struct processes *processes, struct resolver *r);
void sampler_free(struct sampler *s);

/*
 * Sample a process, too.  False, with a reason and its remedy appended to
 * *why, if there is no such process or we may not trace it.
 */
bool sampler_add(struct sampler *s, int64_t pid, struct buf *why);

/* Whether a process is sampled, or any is. */
bool sampler_has(const struct sampler *s, int64_t pid);
bool sampler_has_any(const struct sampler *s);

/* Sample all threads of all processes once; false if no process is left. */
bool sampler_round(struct sampler *s);

/* Take the copies of threads that have stopped since their round. */
void sampler_take_stopped(struct sampler *s);

/*
 * After the last round: wait up to this many ns for threads that have not
 * stopped yet, and write their samples.
 */
void sampler_finish(struct sampler *s, uint64_t wait);

/*
 * Call these before and after a sleep between rounds.  Threads that stop
 * meanwhile are copied at once.
 *
 * Our priority is high, so that the sleep ends on time whatever runs then.  If
 * it ended only when a target thread gives up its CPU, too few threads would be
 * sampled running.
 */
void sampler_begin_sleep(struct sampler *s);
void sampler_end_sleep(struct sampler *s);

/*
 * Prepare for a long time without a round.  Waits up to this many ns for
 * threads that have not stopped yet, and lets them go on.  Threads that stop
 * even later go on at once.
 */
void sampler_pause(struct sampler *s, uint64_t wait);

struct sampler_counts {
	uint64_t rounds, samples;
	uint64_t truncated; /* samples with callers missing */
	uint64_t guessed;   /* with callers found without unwind tables */
	uint64_t interrupted_calls; /* EINTR because of a stop */
	/* Threads without a stack because */
	uint64_t timed_out; /* they did not stop, or we were too late, */
	uint64_t denied;    /* we may not trace them, */
	uint64_t bits32;    /* or they are of 32 bits */
	/* Threads without a sample because of options: */
	uint64_t name_mismatches, state_mismatches;
	uint64_t vm_samples;   /* with frames of an interpreter */
	uint64_t lock_waits;   /* of threads that wait for its lock */
	uint64_t unmerged;     /* whose places among native ones are unknown */
	uint64_t tasks;        /* of suspended tasks */
	uint64_t unread_tasks; /* without a sample, as they changed */
	bool has_greenlets;    /* suspended ones are not in samples, */
	bool has_virtual;      /* nor are virtual threads that wait */
	bool lacks_virtual;    /* nor those that no executor started */
	bool no_run_count; /* this kernel does not count how often they run */
};

/* The thread that has the lock of its interpreter most often. */
struct lock_holder sampler_lock_holder(const struct sampler *s);

/* Append why threads make no progress, as diagnosis_print() does. */
void sampler_diagnose(struct sampler *s, struct buf *out);

/* As capture_refusals(). */
struct str sampler_refusals(const struct sampler *s);

struct sampler_counts sampler_counts(const struct sampler *s);

#endif
