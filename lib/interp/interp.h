/* interp.h - the interpreter in a running process, and the frames of its
 * threads. */
#ifndef INTERP_H
#define INTERP_H

#include "base/buf.h"
#include "interp/interp_binary.h"
#include "interp/interp_functions.h"
#include "interp/interp_merge.h"
#include "interp/interp_stack.h"

/*
 * A sample takes two phases.  While the thread is stopped, or between two
 * checks that it waits: interp_copy_begin() and interp_walk().  Later, when it
 * runs again: interp_name(), which reads what lives long, and interp_merge().
 * Whatever the memory of the process says, both end.
 */
struct interp;

/* What interp knows of a thread; all zero is nothing.  Private to interp. */
struct interp_thread {
	uint64_t block;    /* address of the runtime's block; 0 if unknown */
	int64_t block_tid; /* as in struct interp_listed */
	uint64_t id;       /* what its block must have, by the runtime */
	uint64_t lock;     /* address of the lock it executes under, or 0 */
	uint64_t pointer;  /* the thread pointer; 0 if unknown */
	uint64_t first, searched;  /* times of searches, in ns */
	uint32_t misses;           /* searches while it was stopped */
	struct interp_spans spans; /* the caller passes it to a copy */
	struct buf name;           /* by the runtime; empty if unknown */
	uint64_t name_time;        /* when it was read, in ns */
};

void interp_free_thread(struct interp_thread *t);

struct interp *interp_new(void);
void interp_free(struct interp *p);

/* Whether the process has a runtime whose frames can be shown, */
bool interp_is_active(const struct interp *p);

/* or one whose suspended tasks can be. */
bool interp_has_tasks(const struct interp *p);

/*
 * Find the block of a thread that has none yet, at most as often as its age
 * makes sense.  Call it before the thread is stopped.  sp is in its stack, or
 * 0; now is in ns.
 */
void interp_prepare(struct interp *p, struct interp_thread *t,
		    const struct interp_target *target,
		    const struct interp_reader *reader, uint64_t sp,
		    uint64_t now);

/*
 * Walk the frames of a thread, whose spans and registers are in the copy, and
 * replace the spans.  Leaves the stack empty if it has no frames of the
 * runtime.
 */
void interp_walk(struct interp *p, struct interp_thread *t,
		 struct interp_copy *copy, struct interp_stack *s);

/*
 * Frames of a runtime that has to be asked while the native stack is unwound.
 * All zero is none; release with interp_free_steps().
 */
struct interp_steps {
	struct interp_stack stack;
	struct interp_spans spans; /* what was read: it is read at once again */
	uint64_t sum;              /* of all that was read, if is_summed */
	bool is_summed;
};

void interp_free_steps(struct interp_steps *steps);

/* Whether the frames of the runtime are found in this way. */
bool interp_has_steps(const struct interp *p);

/*
 * Before a stack is unwound: true if all that its frames were found by, besides
 * the stack, is as it was.  Otherwise empty the frames, and after it keep what
 * was read.  In between, interp_step() is a step_vm() of struct unwind_thread.
 */
bool interp_begin_steps(struct interp *p, const struct interp_reader *reader,
			struct interp_steps *steps);
enum unwind_vm interp_step(struct interp *p, struct interp_steps *steps,
			   struct unwind_vm_frame *f);
void interp_end_steps(struct interp *p, struct interp_steps *steps);

/* Find functions and lines of frames. */
void interp_name(struct interp *p, const struct interp_reader *reader,
		 struct interp_functions *functions, struct interp_stack *s);

/*
 * Read the name that the runtime has for a thread into t->name, at most once a
 * second.  Call it when the thread is not stopped; now is in ns.
 */
void interp_name_thread(struct interp *p, struct interp_thread *t,
			const struct interp_reader *reader, uint64_t now);

/*
 * The block of the thread that has the runtime's lock, for which t waits; 0 if
 * none has it, or if that is unknown.  Call it when no thread is stopped.
 */
uint64_t interp_lock_owner(struct interp *p, const struct interp_thread *t,
			   const struct interp_reader *reader);

/* The wait of a thread, as its runtime describes it. */
enum interp_wait_kind {
	INTERP_WAIT_UNKNOWN,
	INTERP_WAIT_MONITOR, /* to enter a monitor */
	INTERP_WAIT_NOTIFY,  /* for a message to a monitor: Object.wait() */
	INTERP_WAIT_PARK,    /* to be unparked, maybe by who has a lock */
	INTERP_WAIT_SLEEP
};

struct interp_wait {
	enum interp_wait_kind kind;
	struct buf object; /* class of the lock; the caller's buffer */
	uint64_t owner; /* block of the thread that has it; 0: none, unknown */
};

/*
 * Find out what a thread waits for that is in a system call, and whose frames s
 * are; *wait is empty.  Call it when no thread is stopped.
 */
void interp_find_wait(struct interp *p, const struct interp_thread *t,
		      const struct interp_reader *reader,
		      const struct interp_stack *s, struct interp_wait *wait);

/* Work that a runtime schedules by itself, such as a task of asyncio. */
struct interp_task {
	struct str kind; /* "asyncio-task" */
	struct str name; /* may be empty */
	bool ready;      /* it is to run; otherwise it waits */
	struct str wait; /* what it waits for, if known */
	struct str lock; /* class of the object that it waits for, if known */
	const struct interp_vm_frame *frame; /* named, leaf first */
	size_t n;
	/*
	 * Instead of frames: it runs native code, and goes on at this pc, with
	 * this stack, which was copied from sp on.
	 */
	uint64_t pc, sp;
	struct str stack;
};

struct interp_task_receiver {
	/* Called for each task, which is valid during the call. */
	void (*task)(void *arg, const struct interp_task *t);
	void *arg;
	bool with_names;
};

/*
 * Report all suspended tasks; call it when no thread is stopped.  Returns how
 * many cannot be read, mostly because they changed meanwhile.  now is in ns.
 */
size_t interp_report_tasks(struct interp *p, const struct interp_reader *reader,
			   struct interp_functions *functions, uint64_t now,
			   const struct interp_task_receiver *receiver);

/* Whether threads may have greenlets, of which only the running one is seen. */
bool interp_has_greenlets(const struct interp *p);

/*
 * Whether threads were seen that run virtual ones, and whether tasks lack those
 * that no executor has started.
 */
bool interp_has_virtual(const struct interp *p);
bool interp_lacks_virtual(const struct interp *p);

/*
 * How many of n native frames the runtime's frames have as callers, from the
 * leaf on.  A greenlet runs on the C stack of the thread in place of others,
 * so that beyond the function that begins it, callers are not its own.
 */
size_t interp_own_frames(const struct interp *p,
			 const struct unwind_frame *frame, size_t n);

/* Code of the virtual machine's loop; NULL if there is no runtime. */
const struct interp_ranges *interp_loops(const struct interp *p);

/* Code of a JIT without unwind tables. */
struct interp_jit {
	struct interp_range code;
	uint64_t like; /* it runs in the frame of the code at this address */
};

/* The code of the JIT at an address; NULL if that is other code. */
const struct interp_jit *interp_jit_find(const struct interp *p,
					 uint64_t address);

#endif
