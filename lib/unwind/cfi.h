/* cfi.h - call frame information: rules for a step from a frame to its caller.
 */
#ifndef CFI_H
#define CFI_H

#include "arch/arch.h"

/*
 * Reads .eh_frame (Linux Standard Base Core 5.0, 10.6), its .eh_frame_hdr,
 * and .debug_frame (DWARF 5, 6.4); .sframe for code that these lack, see
 * sframe.h.  The bytes may be hostile.  Addresses are those of the ELF file.
 */
struct cfi;

struct cfi_section {
	struct str bytes;
	uint64_t vaddr;
};

/* Missing sections are empty.  The bytes must outlive the cfi. */
struct cfi_sections {
	struct cfi_section eh_frame, eh_frame_hdr, debug_frame, sframe;
	bool is_64;
	bool swap; /* the file is not in the byte order of this host */
};

/* Find the address of .eh_frame in .eh_frame_hdr; false if it is not there. */
bool cfi_eh_frame_vaddr(const struct cfi_sections *sections, uint64_t *vaddr);

/* NULL if there is no table: .eh_frame, .debug_frame or a valid .sframe. */
struct cfi *cfi_new(const struct cfi_sections *sections);
void cfi_free(struct cfi *c);

/* Where the caller's value of a register is. */
enum cfi_how {
	CFI_SAME,      /* still in the register */
	CFI_UNDEFINED, /* lost; for the return address: there is no caller */
	CFI_AT_CFA,    /* in memory at CFA + n */
	CFI_CFA,       /* the value is CFA + n */
	CFI_REGISTER,  /* in register n */
	CFI_AT_EXPR,   /* in memory at the result of the expression */
	CFI_EXPR       /* the value is the result of the expression */
};

struct cfi_rule {
	enum cfi_how how;
	int64_t n;
	struct str expr; /* points into the sections */
};

/* The rules at one address. */
struct cfi_row {
	uint64_t start, end; /* of the function */
	/* The CFA is cfa_register + cfa.n (CFI_REGISTER), or CFI_EXPR. */
	struct cfi_rule cfa;
	uint32_t cfa_register;
	uint32_t return_column;
	bool signal;        /* a signal interrupted the caller at its pc */
	bool signed_return; /* aarch64: the return address is signed */
	struct cfi_rule rules[ARCH_REGISTERS];
	struct cfi_rule other; /* of registers that are not tracked */
};

/* Find the rules at an address; false if there are none, or they are invalid.
 */
bool cfi_find(struct cfi *c, uint64_t vaddr, struct cfi_row *row);

#endif
