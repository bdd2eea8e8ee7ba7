/* aarch64.c - 64-bit ARM: "DWARF for the Arm 64-bit Architecture". */
#include "arch/arch-internal.h"

#include <elf.h>

/* x0 to x30 are 0 to 30; we number the pc 32. */
enum { FP = 29, LINK, SP, PC, NONE = ARCH_OTHER };

/* All interfaces of Linux have this order. */
#define ALL \
	0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, \
	    20, 21, 22, 23, 24, 25, 26, 27, 28, FP, LINK, SP, PC

/* bti c; adrp x16,slot; ldr x17,[x16,slot]; add x16,x16,slot; br x17 */
static bool
is_frameless(struct str code)
{
	const uint32_t bti = 0xd503245f, br = 0xd61f0220;
	const uint32_t adrp = 0x90000010, ldr = 0xf9400211, add = 0x91000210;
	/* Bits that do not depend on the slot. */
	const uint32_t page = 0x9f00001f, offset = 0xffc003ff;
	uint32_t n;

	for (; code.len >= 4; code = str_skip(code, 4)) {
		n = arch_code_u32(code.p);
		if (n == br)
			return true;
		if (n != bti && (n & page) != adrp && (n & offset) != ldr &&
		    (n & offset) != add)
			return false;
	}
	return false;
}

/*
 * rt_sigframe: siginfo, 128 bytes; ucontext up to its sigcontext, 176 bytes;
 * the fault address, 8 bytes; the registers.
 */
static const struct arch_signal signals[] = {
	{ { "\x68\x11\x80\xd2\x01\0\0\xd4", 8 }, /* mov x8,#139; svc #0 */
	  128 + 176 + 8,
	  ARCH_ORDER(ALL) }
};

const struct arch arch_aarch64 = {
	.names = "aarch64",
	.machine = EM_AARCH64,
	.audit = 0xc00000b7,
	.word = 8,
	.address_bits = 48, /* unless a program asks for more */
	.sp = SP,
	.fp = FP,
	.pc = PC,
	.link = LINK,
	.frame = { 0, 8, 16 },
	.chain_lacks_caller = true,
	.probe_registers = "x0 x1 x2 x3 x4 x5 x6 x7 x8 x9 x10 x11 x12 x13 x14 "
			   "x15 x16 x17 x18 x19 x20 x21 x22 x23 x24 x25 x26 "
			   "x27 x28 x29 x30 sp",
	.perf = ARCH_ORDER(ALL),
	.regset = ARCH_ORDER(ALL, NONE), /* pstate */
	.arguments = ARCH_ORDER(0, 1, 2, 3, 4, 5),
	/* The number of the system call is in NT_ARM_SYSTEM_CALL only. */
	.signals = signals,
	.signals_n = sizeof(signals) / sizeof(*signals),
	.mapping_symbols = true,
	.plt = { .head = 32, .entry = 16 },
	.capstone = 1, /* CS_ARCH_ARM64 */
	.is_frameless = is_frameless
};
