/* cfirow.h - the instructions of call frame information, executed. */
#ifndef CFIROW_H
#define CFIROW_H

#include "cfientry.h"

/*
 * The rules of a function at one of its addresses; false if the instructions
 * are spoilt, or of a kind we do not know.
 */
bool cfirow_run(const struct cfi_frames *f, const struct cfi_function *function,
		uint64_t vaddr, struct cfi_row *row);

#endif
