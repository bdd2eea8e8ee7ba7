/* disasm.h - disassemble machine instructions. */
#ifndef DISASM_H
#define DISASM_H

#include "base/buf.h"

struct disasm;

/*
 * Open a disassembler for an e_machine of ELF.  NULL if libcapstone, which does
 * the work, is not installed or does not know the machine.
 */
struct disasm *disasm_new(int machine);
void disasm_free(struct disasm *d);

/*
 * Append the first instruction of code, which is at an address; false if it is
 * invalid.
 */
bool disasm_print(struct disasm *d, struct str code, uint64_t address,
		  struct buf *out);

#endif
