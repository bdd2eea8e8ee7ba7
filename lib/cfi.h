/* cfi.h - call frame information: how to find a frame's caller. */
#ifndef CFI_H
#define CFI_H

#include "str.h"

/*
 * Reads .eh_frame (Linux Standard Base Core 5.0, 10.6), its .eh_frame_hdr,
 * and .debug_frame (DWARF 5, 6.4).  The bytes may be hostile.  Addresses are
 * the file's own.
 */
struct cfi;

struct cfi_section {
	struct str bytes;
	uint64_t vaddr;
};

/* What there is of it; the others empty.  All bytes outlive the cfi. */
struct cfi_sections {
	struct cfi_section eh_frame, eh_frame_hdr, debug_frame;
	int machine; /* e_machine */
	bool is_64;
	bool swap; /* the file has the other byte order */
};

/* Where .eh_frame is, by .eh_frame_hdr; false if that does not say. */
bool cfi_eh_frame_vaddr(const struct cfi_sections *sections, uint64_t *vaddr);

/* NULL if there is nothing to read. */
struct cfi *cfi_new(const struct cfi_sections *sections);
void cfi_free(struct cfi *c);

/* DWARF numbers of registers that are followed: x86 has 17, aarch64 33. */
enum { CFI_REGISTERS = 33 };

/* How a register of the caller is found. */
enum cfi_how {
	CFI_SAME,      /* as it is */
	CFI_UNDEFINED, /* not kept; of the return address: no caller */
	CFI_AT_CFA,    /* in memory at CFA + n */
	CFI_CFA,       /* it is CFA + n */
	CFI_REGISTER,  /* in register n */
	CFI_AT_EXPR,   /* in memory where the expression says */
	CFI_EXPR       /* it is what the expression says */
};

struct cfi_rule {
	enum cfi_how how;
	int64_t n;
	struct str expr; /* points into the sections */
};

/* The rules of one place in a program. */
struct cfi_row {
	uint64_t start, end; /* the function they were found in */
	/* CFI_REGISTER: cfa_register + cfa.n; or CFI_EXPR. */
	struct cfi_rule cfa;
	uint32_t cfa_register;
	uint32_t return_column;
	bool signal;        /* a signal interrupted the caller at its pc */
	bool signed_return; /* aarch64: the address carries a code */
	struct cfi_rule rules[CFI_REGISTERS];
	struct cfi_rule unfollowed; /* of any other register */
};

/* The rules at an address; false if there are none, or spoilt ones. */
bool cfi_find(struct cfi *c, uint64_t vaddr, struct cfi_row *row);

#endif
