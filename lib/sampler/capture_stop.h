/* capture_stop.h - threads that are stopped to be captured. */
#ifndef CAPTURE_STOP_H
#define CAPTURE_STOP_H

#include "sampler/capture-internal.h"

/* Queue a look of this round. */
void capture_stop_enqueue(struct capture *c, struct live_threads *l,
			  struct live_thread *t,
			  const struct thread_state *state,
			  enum stack_source source);

/* Count a thread that could not be stopped, by the reason. */
void capture_stop_count(struct capture *c, enum ptrace_stop_result result);

/* ptrace(2) fails with the same errno for a thread that is just ending. */
enum ptrace_stop_result capture_stop_result(struct live_thread *t,
					    enum ptrace_stop_result result);

/* False if there are too many, and the thread is queued without a stack. */
bool capture_stop_add_late(struct capture *c, struct live_threads *l,
			   struct live_thread *t,
			   const struct thread_state *state);

/* Copy threads as they stop, until a deadline; 0: do not wait. */
void capture_stop_copy(struct capture *c, uint64_t deadline);

/* Threads that will not stop have no stack. */
void capture_stop_give_up(struct capture *c);

/* Stop a thread at once; false if it cannot be stopped. */
bool capture_stop_thread(struct capture *c, struct live_threads *l,
			 struct live_thread *t,
			 const struct thread_state *state);

/*
 * Capture a thread that runs, or that has run since its state was read.  With
 * check, do not stop it if it waits by then in a call that would fail.  Do not
 * wait for another chance to copy it: threads that wait briefly would be
 * missing from the profile.
 */
void capture_stop_running(struct capture *c, struct live_threads *l,
			  struct live_thread *t,
			  const struct thread_state *state, bool check);

/*
 * Interrupt the threads that wait for that, all of a process.  This takes two
 * context switches, however many there are.
 */
void capture_stop_requested(struct capture *c, struct live_threads *l);

/* For struct ptrace_stop_copier. */
enum ptrace_stop_result capture_stop_check(void *arg, int64_t tid);

#endif
