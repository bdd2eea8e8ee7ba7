/* pytrampoline.h - rules for unwinding through Python's trampolines. */
#ifndef PYTRAMPOLINE_H
#define PYTRAMPOLINE_H

#include "cfi.h"

/*
 * Since 3.12, python -X perf calls each function of Python by code of its own
 * that a perf map names, and that no tables describe.  CPython,
 * Python/asm_trampoline.S.
 */
bool pytrampoline_is(struct str name);

/*
 * The rules of these, whose addresses begin at 0; NULL if there are none for
 * that machine, as uname -m calls it, or this one if it is empty.
 */
struct cfi *pytrampoline_cfi(struct str arch);

#endif
