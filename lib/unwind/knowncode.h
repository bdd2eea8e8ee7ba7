/* knowncode.h - unwind tables of code that comes without any. */
#ifndef KNOWNCODE_H
#define KNOWNCODE_H

#include "unwind/cfi.h"

/*
 * Code that is the same everywhere can be unwound by tables of our own, which
 * lib/arch has.  Addresses of these tables begin at 0.
 */

/*
 * Whether a name of a perf map is that of a Python function.  Since 3.12,
 * python -X perf calls each function by a trampoline of its own; see CPython's
 * Python/asm_trampoline.S.
 */
bool knowncode_is_python(struct str name);

/* Tables of these trampolines; NULL if there are none for the machine. */
struct cfi *knowncode_python(const struct arch *a);

/*
 * Whether an address of a vdso is where its system calls return to, by its
 * alignment; and a table for such an address.  NULL if the machine's programs
 * make their system calls themselves.
 */
bool knowncode_is_call(const struct arch *a, uint64_t address);
struct cfi *knowncode_call(const struct arch *a);

#endif
