/* insn.h - machine instructions as text. */
#ifndef INSN_H
#define INSN_H

#include "buf.h"

struct insn;

/*
 * For an e_machine.  NULL if it is none of EM_X86_64 (62), EM_AARCH64 (183),
 * or libcapstone is not installed, which does the work.
 */
struct insn *insn_new(int machine);
void insn_free(struct insn *i);

/*
 * Append the instruction at the start of code, which lies at an address;
 * false if it is none.
 */
bool insn_print(struct insn *i, struct str code, uint64_t address,
		struct buf *out);

#endif
