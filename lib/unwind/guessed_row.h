/* guessed_row.h - callers of code without unwind tables, from instructions. */
#ifndef GUESSED_ROW_H
#define GUESSED_ROW_H

#include "unwind/unwind.h"

/*
 * Work out the rules at a pc, which is an instruction's; false if the code is
 * not understood.  They may be wrong: a call that does not return is followed
 * by other code.  So check what the rules find by guessed_row_is_caller().
 */
bool guessed_row_find(const struct unwind_thread *t, uint64_t pc,
		      struct cfi_row *row);

/*
 * Whether an address is where a call of the function at pc returns to, of which
 * it has put depth bytes on the stack; depth is -1 if that is unknown.
 */
bool guessed_row_is_caller(const struct unwind_thread *t, uint64_t address,
			   uint64_t pc, int64_t depth);

/*
 * Search the copied stack for such an address, and set the registers to the
 * caller's, as far as they are known.  Only direct calls are found.
 */
bool guessed_row_search(const struct unwind_thread *t,
			struct arch_registers *r);

#endif
