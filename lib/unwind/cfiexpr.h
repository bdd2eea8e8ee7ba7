/* cfiexpr.h - DWARF expressions in call frame information. */
#ifndef CFIEXPR_H
#define CFIEXPR_H

#include "unwind/cfi.h"

/* What an expression can read. */
struct cfiexpr_context {
	const struct arch_registers *registers;
	uint64_t bias; /* added to the file's addresses */
	uint8_t word;  /* bytes of an address */
	bool swap;     /* the file is not in the byte order of this host */
	bool (*read)(void *arg, uint64_t address, void *to, size_t n);
	void *arg;
};

/*
 * Evaluate an expression (DWARF 5, 2.5.1) that starts with first on its stack.
 * False if it is invalid, runs too long, or reads something unknown.
 */
bool cfiexpr_run(struct str expr, uint64_t first,
		 const struct cfiexpr_context *context, uint64_t *result);

#endif
