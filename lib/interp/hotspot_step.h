/* hotspot_step.h - return addresses of HotSpot's code, and steps to them. */
#ifndef HOTSPOT_STEP_H
#define HOTSPOT_STEP_H

#include "interp/hotspot_walk.h"

/* A step from a frame to its caller. */
struct hotspot_walk {
	struct hotspot_walker *w;
	struct interp_copy *memory; /* of the process, for code */
	struct interp_stack *s;
	struct unwind_vm_frame *f; /* the frame */
	struct arch_registers *r;  /* the frame's; the step sets the caller's */
};

/* Registers by their DWARF numbers, x86-64. */
enum { HOTSPOT_STEP_RAX = 0, HOTSPOT_STEP_RBX = 3, HOTSPOT_STEP_R13 = 13 };

/* Whether the instruction before an address is a direct call, or one by
 * register.
 */
bool hotspot_step_follows_call(struct hotspot_walk *k, uint64_t pc);

/*
 * Whether the interpreter continues a method at an address after a call: the
 * code clears the pointer that the frame has while it calls.
 */
bool hotspot_step_resumes(struct hotspot_walk *k, uint64_t pc);

/*
 * Whether a return address in a blob is that of frames of a virtual thread that
 * are in the heap: nothing has called from there.
 */
bool hotspot_step_is_barrier(struct hotspot_walk *k,
			     const struct hotspot_blob *b, uint64_t pc);

/* Whether code of the code cache can be called from before an address. */
bool hotspot_step_is_return(struct hotspot_walk *k, uint64_t pc);

/* Read a word of the stack; false if the copied stack ends before it. */
bool hotspot_step_load(struct hotspot_walk *k, uint64_t address,
		       uint64_t *value);

/* Set the registers of a caller of which only the frame pointer is kept. */
void hotspot_step_set_caller(struct hotspot_walk *k, uint64_t sp, uint64_t pc);

/*
 * Step to the caller whose return address is distance bytes above the stack
 * pointer.  With pushed, the word below it is the caller's frame pointer.
 * Returns false, and sets nothing, if there is no return address.
 */
bool hotspot_step_at(struct hotspot_walk *k, uint64_t distance, bool pushed);

/* The same by a frame pointer less than near bytes above the stack pointer. */
bool hotspot_step_near(struct hotspot_walk *k, uint64_t near);

#endif
