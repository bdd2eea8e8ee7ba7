/* sampler.h - the stacks of all threads of processes that run. */
#ifndef SAMPLER_H
#define SAMPLER_H

#include "resolve.h"
#include "target.h"
#include "unwind.h"

enum sampler_which { SAMPLER_ALL, SAMPLER_RUNNING, SAMPLER_BLOCKED };

struct sampled {
	uint64_t time; /* ns, of CLOCK_MONOTONIC */
	int64_t pid, tid;
	char state;       /* R as it runs; else as in proc(5) */
	struct str call;  /* the system call it waits in, or empty */
	struct str wchan; /* where in the kernel, or empty */
	struct str name;  /* of the thread */
	const struct unwind_frame *frame; /* leaf first */
	size_t n;
	/*
	 * For what is made of the frames: of this thread, and empty whenever
	 * they have changed.
	 */
	struct buf *note;
	bool truncated; /* callers are missing */
	bool moving;    /* the stack is of a moment later, or there is none */
};

struct sampler_options {
	enum sampler_which which;
	bool no_stop;    /* stop no thread, whatever is lost by that */
	bool consistent; /* stop all threads of a process together */
	size_t stack;    /* copy at most so many bytes of a stack */
	uint64_t wait;   /* for threads without a CPU, in ns a round */
	/* Whether a thread of this name is wanted; NULL: all are. */
	bool (*wants)(void *arg, struct str name);
	/* Told of each sample, which lives during the call. */
	void (*sample)(void *arg, const struct sampled *s);
	void *arg;
	struct target_news news;
};

struct sampler;

/*
 * The resolver must be one for these processes, which are told what is seen;
 * both outlive it.  It is asked for rules to unwind by.
 */
struct sampler *sampler_new(const struct sampler_options *options,
			    struct processes *processes, struct resolver *r);
void sampler_free(struct sampler *s);

/*
 * Watch a process, too.  False, with a reason and its remedy appended to
 * *why, if there is none or we may not.
 */
bool sampler_add(struct sampler *s, int64_t pid, struct buf *why);

/*
 * Prepare for a sleep: it is to end whatever runs then, for if it ended as
 * threads of the target give up their CPUs, too few of them were seen to run.
 */
void sampler_ready(struct sampler *s);

/*
 * Take none for long, or never again: threads that have not stopped yet are
 * waited for, so many ns at most, and let go; later ones are as they stop.
 */
void sampler_rest(struct sampler *s, uint64_t wait);

/* Take all threads of all processes once; false if no process is left. */
bool sampler_round(struct sampler *s);

/* To be called as SIGCHLD comes, which is blocked. */
void sampler_signalled(struct sampler *s);

struct sampler_counts {
	uint64_t threads;         /* taken: samples */
	uint64_t blocked;         /* of these, those seen waiting */
	uint64_t stops;           /* held by ptrace(2) */
	uint64_t stopped_blocked; /* of these, threads seen waiting */
	uint64_t interrupts;      /* calls that ended with EINTR by that */
	uint64_t moving, truncated;
	uint64_t late, denied, foreign; /* not held, and why */
	uint64_t unnamed, unwanted;     /* left out by name, and by which */
	bool untrusted; /* the kernel does not count how often threads run */
};

struct sampler_counts sampler_counts(const struct sampler *s);

#endif
