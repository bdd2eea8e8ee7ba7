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
	uint64_t block;   /* address of the runtime's block; 0 if unknown */
	uint64_t id;      /* what its block must have, by the runtime */
	uint64_t lock;    /* address of the lock it executes under, or 0 */
	uint64_t pointer; /* the thread pointer; 0 if unknown */
	uint64_t first, searched;  /* times of searches, in ns */
	struct interp_spans spans; /* the caller passes it to a copy */
	struct buf name;           /* by the runtime; empty if unknown */
	uint64_t name_time;        /* when it was read, in ns */
};

void interp_free_thread(struct interp_thread *t);

struct interp *interp_new(void);
void interp_free(struct interp *p);

/*
 * Find the runtime of a process by its memory map; call it when the map was
 * read again.  Appends to *why, once, what kind of runtime there is whose
 * frames cannot be shown, and the reason.
 */
void interp_update(struct interp *p, const struct interp_target *target,
		   const struct interp_reader *reader, struct buf *why);

/* Whether the process has a runtime whose frames can be shown. */
bool interp_is_active(const struct interp *p);

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

/* Find functions and lines of frames. */
void interp_name(struct interp *p, const struct interp_reader *reader,
		 struct interp_functions *functions, struct interp_stack *s);

/*
 * Read the name that the runtime has for a thread into t->name, at most once a
 * second.  Call it when the thread is not stopped; now is in ns.
 */
void interp_name_thread(struct interp *p, struct interp_thread *t,
			const struct interp_reader *reader, uint64_t now);

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
