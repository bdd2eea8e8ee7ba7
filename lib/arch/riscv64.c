/* riscv64.c - 64-bit RISC-V: "RISC-V ABIs Specification". */
#include "arch/arch-internal.h"

#include <elf.h>

/* x0 to x31 are 0 to 31.  32 is f0, which functions do not save. */
enum { RA = 1, SP, S0 = 8, A0 = 10, PC = 32 };

/* All interfaces of Linux have this order: the pc, then x1 to x31. */
#define ALL \
	PC, RA, SP, 3, 4, 5, 6, 7, S0, 9, A0, 11, 12, 13, 14, 15, 16, 17, 18, \
	    19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31

/* lpad; auipc t3,slot; ld t3,slot(t3); jalr t1,t3, or jr t3 */
static bool
is_frameless(struct str code)
{
	const uint32_t lpad = 0x00000017, auipc = 0x00000e17;
	const uint32_t ld = 0x000e3e03, jalr = 0x000e0367, jr = 0x000e0067;
	/* Bits that do not depend on the slot or on the label of lpad. */
	const uint32_t upper = 0x00000fff, lower = 0x000fffff;
	uint32_t n;

	for (; code.len >= 4; code = str_skip(code, 4)) {
		n = arch_code_u32(code.p);
		if (n == jalr || n == jr)
			return true;
		if ((n & upper) != lpad && (n & upper) != auipc &&
		    (n & lower) != ld)
			return false;
	}
	return false;
}

/*
 * rt_sigframe: siginfo, 128 bytes; ucontext up to its sigcontext, 176 bytes;
 * the registers.
 */
static const struct arch_signal signals[] = { { { "\x93\x08\xb0\x08\x73\0\0\0",
						  8 }, /* li a7,139; ecall */
						128 + 176,
						ARCH_ORDER(ALL) } };

const struct arch arch_riscv64 = {
	.names = "riscv64",
	.machine = EM_RISCV,
	.audit = 0xc00000f3,
	.word = 8,
	.address_bits = 64,
	.sp = SP,
	.fp = S0,
	.pc = PC,
	.link = RA,
	.frame = { -16, -8, 0 },
	.leaf_saves_fp = true,
	.perf = ARCH_ORDER(ALL),
	.regset = ARCH_ORDER(ALL),
	.thread_word = 4, /* tp */
	.arguments = ARCH_ORDER(A0, 11, 12, 13, 14, 15),
	/* NT_PRSTATUS lacks the number of the system call. */
	.signals = signals,
	.signals_n = sizeof(signals) / sizeof(*signals),
	.mapping_symbols = true,
	.plt = { .head = 32, .entry = 16 },
	.capstone = -1, /* libcapstone 4 does not know it */
	.is_frameless = is_frameless
};
