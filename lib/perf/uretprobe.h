/* uretprobe.h - callers of functions whose return is probed. */
#ifndef URETPROBE_H
#define URETPROBE_H

#include "perf/callstack.h"

/*
 * To see a function return, the kernel replaces its return address by the
 * address of a trampoline, in memory called "[uprobes]".  An unwinder gets no
 * further than the trampoline.  The stack at the function's entry still had the
 * callers, and a probe at the entry recorded it.  That stack may end at the
 * trampoline of an outer function, and so on.
 *
 * Two things say which entry belongs to a trampoline: the stack pointer after
 * the function's return, and the function itself.  A function that ends in a
 * jump leaves its trampoline to the function that it jumps to.  So once a
 * function's returns are known to be probed, the stack pointer alone identifies
 * its entry, until it returns.
 */
struct uretprobes;

struct uretprobes *uretprobe_new(void);
void uretprobe_free(struct uretprobes *u);

/* The user-mode frames of a probe's sample, from the leaf on. */
struct uretprobe_stack {
	const struct callstack_frame *frame; /* leaf first */
	size_t n;
	bool probed;    /* the stack ends at a trampoline */
	uint64_t sp;    /* the stack pointer there, if probed */
	bool truncated; /* outer callers are missing */
};

/*
 * A thread enters a function, the leaf of the stack.  The stack is not empty;
 * its frames are copied.  sp is the stack pointer after the function's return.
 */
void uretprobe_enter(struct uretprobes *u, int64_t tid, uint64_t sp,
		     const struct uretprobe_stack *stack);

/* A probe saw a function return; sp is the stack pointer after that. */
void uretprobe_leave(struct uretprobes *u, int64_t tid, uint64_t sp);

/* The thread has ended, and its calls with it. */
void uretprobe_end(struct uretprobes *u, int64_t tid);

/*
 * Append the callers of the function that returns to the trampoline at sp.
 * callee is the last frame before the trampoline; NULL if the thread runs in
 * the trampoline itself.  The stack is marked truncated if the callers are not
 * known.
 */
void uretprobe_append(struct uretprobes *u, int64_t tid, uint64_t sp,
		      const struct code *callee, struct callstack *stack);

#endif
