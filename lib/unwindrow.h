/* unwindrow.h - one step to a caller, by any kind of rules. */
#ifndef UNWINDROW_H
#define UNWINDROW_H

#include "unwind.h"

/* Which registers of a machine have a part in every step. */
struct unwind_machine {
	int machine;
	uint8_t sp, fp, pc;
	uint8_t link;         /* where calls put the return address, or pc */
	uint8_t address_bits; /* the others of a signed address are its code */
};

/* NULL for a machine we do not know. */
const struct unwind_machine *unwindrow_machine(int machine);

/* How a step ended. */
enum unwind_step {
	STEP_CALLER, /* the registers are the caller's now */
	STEP_COMPLETE,
	STEP_TRUNCATED,
	STEP_CUT, /* truncated, but in reach of a larger copy */
	STEP_LOST
};

/* Read 8 bytes of a thread's memory. */
bool unwindrow_load(const struct unwind_thread *t, uint64_t address,
		    uint64_t *n);

/* What it means that an address could not be read. */
enum unwind_step unwindrow_missing(const struct unwind_thread *t,
				   uint64_t address);

/*
 * Whether a register that was saved at an address has its value again: at
 * the end of a function compilers say where registers were saved until they
 * return, but what was popped lies below the stack pointer and, of perf, is
 * not in the copy.
 */
static inline bool
unwindrow_was_popped(uint64_t address, uint64_t sp)
{
	const uint64_t most = 16 * sizeof(uint64_t);

	return address < sp && sp - address <= most;
}

/*
 * The step by the rules of a row; leaf: no call was made yet, so that the
 * caller's stack pointer may be the same.
 */
enum unwind_step unwindrow_step(const struct unwind_machine *m,
				const struct cfi_row *row, bool leaf,
				uint64_t bias, const struct unwind_thread *t,
				struct unwind_registers *r);

/* An address as it was before it was signed. */
uint64_t unwindrow_without_code(const struct unwind_machine *m,
				uint64_t address);

/* The step by a frame pointer. */
enum unwind_step unwindrow_frame_pointer(const struct unwind_machine *m,
					 const struct unwind_thread *t,
					 struct unwind_registers *r);

/*
 * Whether the code at an address only goes on to what a table has, as entries
 * of a PLT do, and functions as the last thing: nothing is on the stack then.
 */
bool unwindrow_jumps_on(const struct unwind_machine *m,
			const struct unwind_thread *t, uint64_t address);

/* Out of there, or a call to where nothing is: the caller is on top of it. */
enum unwind_step unwindrow_bad_call(const struct unwind_machine *m,
				    const struct unwind_thread *t,
				    struct unwind_registers *r);

/*
 * The rules of code that returns from a signal, if that is what the thread
 * has at an address; for those C libraries that have no rules for it.
 */
bool unwindrow_signal_return(const struct unwind_machine *m,
			     const struct unwind_thread *t, uint64_t address,
			     struct cfi_row *row);

#endif
