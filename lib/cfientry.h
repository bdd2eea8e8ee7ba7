/* cfientry.h - one entry of call frame information. */
#ifndef CFIENTRY_H
#define CFIENTRY_H

#include "cfi.h"
#include "cursor.h"

/* A section of entries, and what they are read with. */
struct cfi_frames {
	struct cfi_section section;
	bool eh;   /* .eh_frame; else .debug_frame */
	bool swap; /* of the other byte order */
	uint8_t address_size;
	int machine;
};

/* What functions have in common (CIE). */
struct cfi_common {
	uint64_t code_align;
	int64_t data_align;
	uint64_t return_column;
	struct str instructions;
	uint8_t encoding; /* of addresses, DW_EH_PE_* */
	uint8_t address_size;
	bool augmented; /* functions have augmentation data */
	bool signal;
};

/* One function (FDE). */
struct cfi_function {
	uint64_t start, end;
	struct str instructions;
	struct cfi_common common;
};

/*
 * Read the entry at *offset of the section and go on to the next.  False at
 * the end, or where no entry can be.  A function that was read has *start <
 * *end; what is none (a CIE, or spoilt) has both 0.
 */
bool cfientry_next(const struct cfi_frames *f, uint64_t *offset,
		   struct cfi_function *function);

/* A pointer of an encoding; the cursor is bad if there is none. */
uint64_t cfientry_pointer(const struct cfi_frames *f, struct cursor *c,
			  uint8_t encoding, uint8_t address_size);

#endif
