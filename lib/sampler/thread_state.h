/* thread_state.h - the state of a thread, read from /proc without stopping it.
 */
#ifndef THREAD_STATE_H
#define THREAD_STATE_H

#include "base/buf.h"
#include "os/proctext.h"

/*
 * Where the run count of a thread comes from.  If the run count has not
 * changed, the thread has not run, and its stack is the same.
 */
enum thread_state_counter {
	/* "schedstat": grows when the thread gets a CPU. */
	THREAD_STATE_SCHEDSTAT,
	/*
	 * Context switches of "status": grow when the thread gives up a CPU,
	 * so the thread must also be waiting both times.
	 */
	THREAD_STATE_SWITCHES,
	/* This kernel counts neither. */
	THREAD_STATE_NONE
};

/*
 * The counter that works on this kernel: our own run count grows when we
 * sleep.  Sleeps for a few milliseconds; needs a process of one thread.
 */
enum thread_state_counter thread_state_counter(void);

/* The files of a thread.  They stay open if there are enough descriptors. */
struct thread_state_files {
	int64_t pid, tid;
	int schedstat, syscall, stat, wchan; /* descriptors, or -1 */
};

void thread_state_open(struct thread_state_files *f, int64_t pid, int64_t tid);
void thread_state_close(struct thread_state_files *f);

struct thread_state {
	uint64_t run_count;
	uint64_t ran, queued;  /* as in struct proc_schedstat; or both 0 */
	struct proc_call call; /* where it waits, or that it runs */
};

/*
 * Read the state of a thread.  False if it has gone, or if we may not read it:
 * then errno is EPERM or EACCES.
 */
bool thread_state_read(struct thread_state_files *f,
		       enum thread_state_counter counter,
		       struct thread_state *state);

/*
 * The same, but *state is an earlier state of the thread, or all zero.  A
 * thread that ran then, and has had no CPU since, still runs: reading the run
 * count is enough.
 */
bool thread_state_update(struct thread_state_files *f,
			 enum thread_state_counter counter,
			 struct thread_state *state);

/* Whether the thread has not run since its state was read. */
bool thread_state_unchanged(struct thread_state_files *f,
			    enum thread_state_counter counter,
			    const struct thread_state *state);

/* What the files below have at most. */
enum { THREAD_STATE_TEXT = 1024 };

/* Parse the file "stat"; slices point into text. */
bool thread_state_stat(struct thread_state_files *f,
		       char text[THREAD_STATE_TEXT], struct proc_stat *stat);

/*
 * The kernel function the thread waits in, which points into text; empty if
 * the kernel does not say.
 */
struct str thread_state_wchan(struct thread_state_files *f,
			      char text[THREAD_STATE_TEXT]);

/* Whether a descriptor of the thread is a socket; true if that is unknown. */
bool thread_state_is_socket(const struct thread_state_files *f, uint64_t fd);

#endif
