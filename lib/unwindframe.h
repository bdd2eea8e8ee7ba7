/* unwindframe.h - the frame pointer of a thread whose registers are unknown. */
#ifndef UNWINDFRAME_H
#define UNWINDFRAME_H

#include "unwindrow.h"

/*
 * Find the frame pointer of a function that keeps one, from what its code
 * takes of the stack as it begins; row are its rules, at bias.  False where
 * that is not plain, or no return address is where it would be.
 */
bool unwindframe_find(const struct unwind_machine *m,
		      const struct unwind_thread *t, const struct cfi_row *row,
		      uint64_t bias, struct unwind_registers *r);

#endif
