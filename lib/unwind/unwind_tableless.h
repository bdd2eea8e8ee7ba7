/* unwind_tableless.h - steps without unwind tables. */
#ifndef UNWIND_TABLELESS_H
#define UNWIND_TABLELESS_H

#include "unwind/unwind-internal.h"

/*
 * A step by the frame pointer.  exact: the frame has made no call yet, so it
 * may be a leaf function that saved only that.
 */
enum unwind_step unwind_tableless_by_pointer(const struct unwind_thread *t,
					     bool exact,
					     struct arch_registers *r);

/* Whether the code at an address has put nothing on the stack. */
bool unwind_tableless_is_frameless(const struct unwind_thread *t,
				   uint64_t address);

/*
 * A step out of such code, or out of a call to an address without code.  The
 * return address is where the call has put it.
 */
enum unwind_step unwind_tableless_to_caller(const struct unwind_thread *t,
					    struct arch_registers *r);

/*
 * Find the frame pointer of a function that keeps one, whose rules are row, at
 * a bias, from how much stack its start makes room for.  False unless a return
 * address is where that would leave it.
 */
bool unwind_tableless_find_pointer(const struct unwind_thread *t,
				   const struct cfi_row *row, uint64_t bias,
				   struct arch_registers *r);

#endif
