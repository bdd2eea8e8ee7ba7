/* x86_64.c - x86-64: System V ABI, AMD64 Architecture Processor Supplement. */
#include "arch/arch-internal.h"
#include "arch/x86_64_return.h"

#include <elf.h>

/* Figure 3.36 of the ABI; 16 is the return address there. */
enum {
	RAX,
	RDX,
	RCX,
	RBX,
	RSI,
	RDI,
	RBP,
	RSP,
	R8,
	R9,
	R10,
	R11,
	R12,
	R13,
	R14,
	R15,
	RIP,
	NONE = ARCH_OTHER
};

#define ENDBR64 STR("\xf3\x0f\x1e\xfa")
#define JMP_SLOT STR("\xff\x25") /* jmp *slot(%rip) */
#define MOV_R11D STR("\x41\xbb") /* mov $i,%r11d, in PLTs of mold */
#define BND STR("\xf2")          /* a prefix */
#define PUSH STR("\x68")         /* push $i */

/* The size of what may precede the jump of a PLT entry. */
static size_t
jump_at(struct str code)
{
	size_t at = str_starts(code, ENDBR64) ? 4 : 0;

	if (str_starts(str_skip(code, at), BND))
		at++;
	if (str_starts(str_skip(code, at), MOV_R11D))
		at += 6;
	return at;
}

static bool
is_frameless(struct str code)
{
	return str_starts(str_skip(code, jump_at(code)), JMP_SLOT);
}

/*
 * Entries have 16 bytes.  Without endbr64, those that only jump have 8: in
 * .plt.got and in static programs.
 */
static size_t
plt_size(struct str section, bool is_got)
{
	if (str_starts(section, ENDBR64))
		return 16;
	if (str_starts(section, JMP_SLOT) &&
	    str_starts(str_skip(section, 6), STR("\x66\x90")))
		return 8;
	return is_got ? 8 : 16;
}

/* If there is a .plt.sec, entries of .plt only push their index. */
static bool
plt_slot(struct str entry, uint64_t vaddr, uint64_t got, struct arch_slot *slot)
{
	const size_t push = str_starts(entry, ENDBR64) ? 4 : 0;
	const size_t at = jump_at(entry);

	(void)got;
	if (push + 5 <= entry.len && str_starts(str_skip(entry, push), PUSH)) {
		slot->by_index = true;
		slot->index = arch_code_u32(entry.p + push + 1);
		return true;
	}
	if (at + 6 > entry.len || !is_frameless(entry))
		return false;
	slot->by_index = false;
	slot->vaddr = vaddr + at + 6 +
		      (uint64_t)(int32_t)arch_code_u32(entry.p + at + 2);
	return true;
}

/* call rel32 */
static bool
calls(struct str code, uint64_t next, uint64_t *target)
{
	if (code.p[3] != '\xe8')
		return false;
	*target = next + (uint64_t)(int32_t)arch_code_u32(code.p + 4);
	return true;
}

/* The opcode ff is a call if the middle bits of the next byte are 2. */
static bool
calls_indirectly(struct str code)
{
	static const uint8_t lengths[] = { 2, 3, 4, 6, 7 };
	const char *p;
	size_t i;

	for (i = 0; i < sizeof(lengths); i++) {
		p = code.p + ARCH_CALL - lengths[i];
		if (p[0] == '\xff' && ((uint8_t)p[1] >> 3 & 7) == 2)
			return true;
	}
	return false;
}

/* sub $n,%rsp */
static uint64_t
sub_rsp(struct str code)
{
	uint32_t n;

	if (code.len < 7 || code.p[0] != '\x48' || code.p[2] != '\xec')
		return 0;
	if (code.p[1] == '\x83')
		return (uint8_t)code.p[3];
	n = arch_code_u32(code.p + 3);
	return code.p[1] == '\x81' && n <= INT32_MAX ? n : 0;
}

static uint64_t
stack_room(struct str code)
{
	uint64_t n = 0;

	for (; code.len > 0; code = str_skip(code, 1))
		n += sub_rsp(code);
	return n;
}

/* call rel32, jmp rel32, or a conditional jump with 0f before it */
static bool
branch(struct str code, size_t *at, int64_t *to, bool *call)
{
	enum { OPCODE = 1, OFFSET = 4 };
	size_t i = *at < OFFSET ? 0 : *at - OFFSET;
	uint8_t op;

	for (; code.len > OFFSET && i < code.len - OFFSET; i++) {
		op = (uint8_t)code.p[i];
		*call = op == 0xe8;
		if (!*call && op != 0xe9 &&
		    !((op & 0xf0) == 0x80 && i > 0 && code.p[i - 1] == '\x0f'))
			continue;
		*at = i + OPCODE + OFFSET;
		*to = (int64_t)*at +
		      (int32_t)arch_code_u32(code.p + i + OPCODE);
		return true;
	}
	return false;
}

/* mov %rsp,%rbp in its two encodings, or lea n(%rsp),%rbp, as in Go */
static bool
sets_fp(struct str code)
{
	static const struct str set[] = { { "\x48\x89\xe5", 3 },
					  { "\x48\x8b\xec", 3 },
					  { "\x48\x8d\x6c\x24", 4 },
					  { "\x48\x8d\xac\x24", 4 } };
	size_t i;

	for (i = 0; i < sizeof(set) / sizeof(*set); i++)
		if (str_search(code, set[i]) != NULL)
			return true;
	return false;
}

/*
 * rt_sigframe: sp is at its struct ucontext.  The registers have the order of
 * arch/x86/include/uapi/asm/sigcontext.h.
 */
static const struct arch_signal signals[] = {
	{ { "\x48\xc7\xc0\x0f\0\0\0\x0f\x05", 9 }, /* mov $15,%rax; syscall */
	  40,
	  ARCH_ORDER(R8, R9, R10, R11, R12, R13, R14, R15, RDI, RSI, RBP, RBX,
		     RDX, RAX, RCX, RSP, RIP) }
};

/*
 * A trampoline is "sub $8,%rsp; call *%rcx; add $8,%rsp; ret".  Since
 * Python 3.14 it sets a frame pointer instead; endbr64 may come first.  In all
 * of them, the CFA is 16(%rsp) after the call.  The byte before the return
 * address is at 5 or 9, where no instruction starts, so no sample has that
 * address.
 */
static const char python[] =
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

const struct arch arch_x86_64 = {
	.names = "x86_64",
	.compat = &arch_i386,
	.machine = EM_X86_64,
	.audit = 0xc000003e,
	.word = 8,
	.address_bits = 64,
	.sp = RSP,
	.fp = RBP,
	.pc = RIP,
	.link = RIP,
	.frame = { 0, 8, 16 },
	.probe_registers = "ax dx cx bx si di bp sp r8 r9 r10 r11 r12 r13 r14 "
			   "r15",
	/* ax bx cx dx si di bp sp ip flags, cs ss ds es fs gs, r8 to r15 */
	.perf = ARCH_ORDER(RAX, RBX, RCX, RDX, RSI, RDI, RBP, RSP, RIP, NONE,
			   NONE, NONE, NONE, NONE, NONE, NONE, R8, R9, R10, R11,
			   R12, R13, R14, R15),
	/* after rdi: orig_rax, rip, cs, eflags, rsp, ss, fs_base, gs_base, ds,
	 * es, fs, gs */
	.regset = ARCH_ORDER(R15, R14, R13, R12, RBP, RBX, R11, R10, R9, R8,
			     RAX, RCX, RDX, RSI, RDI, NONE, RIP, NONE, NONE,
			     RSP, NONE, NONE, NONE, NONE, NONE, NONE, NONE),
	.arguments = ARCH_ORDER(RDI, RSI, RDX, R10, R8, R9),
	.call_word = 15,
	.result_word = 10,
	.thread_word = 21, /* fs_base */
	.mode_word = 17,   /* cs; 0x23 in 32-bit code */
	.mode = 0x33,
	.signals = signals,
	.signals_n = sizeof(signals) / sizeof(*signals),
	.plt = { .size = plt_size,
		 .slot = plt_slot,
		 .irelative = R_X86_64_IRELATIVE },
	.python = { python, sizeof(python) - 1 },
	.capstone = 3,           /* CS_ARCH_X86 */
	.capstone_mode = 1 << 3, /* CS_MODE_64 */
	.is_frameless = is_frameless,
	.calls = calls,
	.calls_indirectly = calls_indirectly,
	.stack_room = stack_room,
	.branch = branch,
	.sets_fp = sets_fp,
	.find_return = x86_64_return_find,
	.reaches = x86_64_return_reaches,
	.reach = x86_64_return_reach
};
