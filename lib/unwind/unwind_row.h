/* unwind_row.h - a step to the caller by the rules of a row. */
#ifndef UNWIND_ROW_H
#define UNWIND_ROW_H

#include "unwind/unwind-internal.h"

/*
 * A step by the rules of a row.  exact: the frame has made no call yet, so the
 * caller may have the same stack pointer.
 */
enum unwind_step unwind_row_apply(const struct unwind_thread *t,
				  const struct cfi_row *row, uint64_t bias,
				  bool exact, struct arch_registers *r);

#endif
