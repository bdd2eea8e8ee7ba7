/* capture_memory.h - memory of threads, and frames of interpreters in it. */
#ifndef CAPTURE_MEMORY_H
#define CAPTURE_MEMORY_H

#include "sampler/capture.h"

/*
 * Read the memory map of a process, through one of its threads, and open the
 * files.  The functions of capture.c do that themselves when a thread is in
 * memory that is not known, at most once a round.
 */
void capture_memory_read_maps(struct capture *c, struct live_threads *l,
			      int64_t tid);

/* Read the name that the runtime has for a thread; now is in ns. */
void capture_memory_name_thread(struct live_threads *l, struct live_thread *t,
				uint64_t now);

/*
 * The thread that has the lock of the interpreter, for which t waits; NULL if
 * none has it, or if that is unknown.
 */
const struct live_thread *
capture_memory_lock_owner(const struct live_threads *l, struct live_thread *t);

/*
 * Find the wait of a thread in its last stack, as its runtime describes it, and
 * the owner of the lock; NULL if there is no owner, or if it is unknown.
 */
const struct live_thread *capture_memory_find_wait(const struct live_threads *l,
						   struct live_thread *t,
						   struct interp_wait *wait);

/* Read the memory map, once a round, if the thread is in unknown memory. */
void capture_memory_update_maps(struct capture *c, struct live_threads *l,
				int64_t tid, uint64_t sp, uint64_t pc);

/* Find out where the interpreter keeps the frames of a thread. */
void capture_memory_prepare(struct live_threads *l, struct live_thread *t,
			    uint64_t now);

/* The registers of a waiting thread that its state reveals. */
struct interp_moment capture_memory_waiting(const struct live_process *p,
					    const struct proc_call *call);

/*
 * Copy the stack of a thread that cannot run, and walk its frames of the
 * interpreter.
 */
void capture_memory_copy(struct capture *c, struct live_threads *l,
			 struct live_thread *t,
			 const struct interp_moment *moment, struct buf *stack,
			 struct interp_stack *vm);

/* For struct ptrace_stop_copier. */
void capture_memory_copy_stopped(void *arg, int64_t tid,
				 struct stopped_thread *stopped);

/* Find names of the interpreter's frames, and places among native ones. */
void capture_memory_merge(struct capture *c, struct live_threads *l,
			  struct live_thread *t, struct interp_stack *vm,
			  struct stack_frames *f);

#endif
