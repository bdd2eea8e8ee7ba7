/* pytrampoline.c - rules for unwinding through Python's trampolines. */
#include "pytrampoline.h"

#include <elf.h>

/*
 * A trampoline is "sub $8,%rsp; call *%rcx; add $8,%rsp; ret", or, since 3.14,
 * it sets a frame pointer; "endbr64" may be before that.  In each of them the
 * CFA is at 16(%rsp) where the call returns to: the byte before that is 5 or 9,
 * where no instruction begins that a sample could be at.
 */
static const char eh_frame[] =
    /* CIE: alignments 1 and -8, return address in 16 */
    "\x24\0\0\0"
    "\0\0\0\0"
    "\1\0\1\x78\x10"
    "\x0c\x07\x10" /* def_cfa rsp+16 */
    "\x90\x01"     /* return address at CFA-8 */
    "\x16\x06\x10" /* rbp is what follows: */
    "\x76\0\x77\0" /*   rbp rsp */
    "\x29"         /*   eq */
    "\x28\5\0"     /*   bra 1f */
    "\x76\0"       /*   rbp */
    "\x2f\3\0"     /*   skip 2f */
    "\x76\0\6"     /* 1: rbp deref; 2: */
    "\0\0\0"
    /* FDE: 5, of length 1 */
    "\x14\0\0\0"
    "\x2c\0\0\0"
    "\5\0\0\0\0\0\0\0"
    "\1\0\0\0\0\0\0\0"
    /* FDE: 9 */
    "\x14\0\0\0"
    "\x44\0\0\0"
    "\x09\0\0\0\0\0\0\0"
    "\1\0\0\0\0\0\0\0";

bool
pytrampoline_is(struct str name)
{
	return str_starts(name, STR("py::"));
}

struct cfi *
pytrampoline_cfi(struct str arch)
{
	struct cfi_sections s = { .machine = EM_X86_64, .is_64 = true };
	bool is_x86 = str_eq(arch, STR("x86_64"));

#ifdef __x86_64__
	is_x86 |= arch.len == 0;
#endif
	s.swap = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	s.eh_frame.bytes = (struct str){ eh_frame, sizeof(eh_frame) - 1 };
	return is_x86 ? cfi_new(&s) : NULL;
}
