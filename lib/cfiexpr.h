/* cfiexpr.h - expressions of call frame information. */
#ifndef CFIEXPR_H
#define CFIEXPR_H

#include "cfi.h"

/* What an expression may ask for. */
struct cfiexpr_context {
	const uint64_t *value; /* of CFI_REGISTERS registers */
	uint64_t known;        /* bit i: value[i] is known */
	uint64_t bias;         /* added to the file's addresses */
	bool swap;
	bool (*read)(void *arg, uint64_t address, void *to, size_t n);
	void *arg;
};

/*
 * Evaluate an expression (DWARF 5, 2.5.1) with first on its stack.  False if
 * it is spoilt, too long, or asks for what is not known.
 */
bool cfiexpr_run(struct str expr, uint64_t first,
		 const struct cfiexpr_context *context, uint64_t *result);

#endif
