/* probes.h - the callers of functions whose return is probed. */
#ifndef PROBES_H
#define PROBES_H

#include "callstack.h"

/*
 * To know when a function returns, the kernel puts the address of a
 * trampoline, in memory called "[uprobes]", in place of its return address:
 * whoever unwinds the stack gets no further.  But as the function was
 * entered its callers were still there, and a probe of its entry saw them;
 * the callers of those may be behind another trampoline, and so on.
 *
 * Which entry belongs to a trampoline is told by where on its stack the
 * thread is when the function has returned, and by the function.  One that
 * ends in a jump to another has its trampoline behind that one; so once its
 * returns are seen to be probed it is known by its place alone, until it
 * returns.
 */
struct probes;

struct probes *probes_new(void);
void probes_free(struct probes *p);

/* What of a stack is known, from its leaf on. */
struct probes_stack {
	const struct profile_frame *frame; /* leaf first, user mode only */
	size_t n;
	bool probed; /* a trampoline follows, with this stack pointer */
	uint64_t sp;
	bool truncated; /* other callers follow, who are not known */
};

/*
 * A thread enters a function, the leaf of the stack, which is not empty; sp is
 * its stack pointer when it will have returned.  Frames are copied.
 */
void probes_enter(struct probes *p, int64_t tid, uint64_t sp,
		  const struct probes_stack *stack);

/* A function has returned, as a probe saw; sp is the stack pointer then. */
void probes_leave(struct probes *p, int64_t tid, uint64_t sp);

/*
 * Append to a stack who is behind the trampoline to which callee returns; NULL
 * if it has returned.  The stack is truncated if that is not known.
 */
void probes_append(struct probes *p, int64_t tid, uint64_t sp,
		   const struct code *callee, struct callstack *stack);

#endif
