/* sframe.h - the simple table to unwind by that .sframe has. */
#ifndef SFRAME_H
#define SFRAME_H

#include "unwind/cfi.h"

/*
 * Format: The SFrame Format, version 2, as binutils 2.41 and later write it for
 * x86-64 and aarch64.  It has the CFA, the return address and the frame pointer
 * at each address, and nothing of other registers.  The bytes may be hostile.
 */
struct sframe {
	struct str functions, rows; /* tables of the section */
	uint64_t vaddr;             /* of the section */
	uint64_t functions_at;      /* offset of their table in it */
	uint32_t n;
	uint8_t machine;
	int8_t fixed_fp, fixed_ra; /* offsets from the CFA, or 0 */
	bool sorted, relative;
	bool swap;
};

/* Open a section; false if it is none of version 2, or of another machine. */
bool sframe_open(struct sframe *s, const struct cfi_section *section,
		 bool swap);

/* As cfi_find(): registers other than those of the table are undefined. */
bool sframe_find(const struct sframe *s, uint64_t vaddr, struct cfi_row *row);

#endif
