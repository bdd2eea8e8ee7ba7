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

/* Stop a thread; false if we may not. */
bool capture_stop_thread(struct capture *c, struct live_threads *l,
			 struct live_thread *t,
			 const struct thread_state *state);

/*
 * Capture a thread that runs, or that could not be copied.  A stop makes it run
 * to restart its call, so find out before where it waits.
 */
void capture_stop_running(struct capture *c, struct live_threads *l,
			  struct live_thread *t,
			  const struct thread_state *state);

/*
 * The thread has run since its state was read.  Do not wait for another chance
 * to copy it: threads that wait briefly would be missing from the profile.
 */
void capture_stop_if_moved(struct capture *c, struct live_threads *l,
			   struct live_thread *t,
			   const struct thread_state *first);

#endif
