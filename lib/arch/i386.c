/* i386.c - 32-bit x86: System V ABI, Intel386 Architecture Supplement. */
#include "arch/arch-internal.h"

#include <elf.h>

/* Linux compilers use these numbers; 8 is the return address. */
enum { EAX, ECX, EDX, EBX, ESP, EBP, ESI, EDI, EIP, NONE = ARCH_OTHER };

#define ENDBR32 STR("\xf3\x0f\x1e\xfb")
#define JMP_SLOT STR("\xff\x25")     /* jmp *slot */
#define JMP_EBX_SLOT STR("\xff\xa3") /* jmp *slot(%ebx) */
#define PUSH STR("\x68")             /* push $i */

static bool
jumps(struct str code)
{
	if (str_starts(code, ENDBR32))
		code = str_skip(code, 4);
	return str_starts(code, JMP_SLOT) || str_starts(code, JMP_EBX_SLOT);
}

/* "ret", or "mov (%esp),%REGISTER; ret", by which code gets its address. */
static bool
returns(struct str code)
{
	const struct str from_top = STR("\x24\xc3");

	if (str_starts(code, STR("\xc3")))
		return true;
	return str_starts(code, STR("\x8b")) && code.len >= 4 &&
	       (code.p[1] & 0xc7) == 4 &&
	       str_starts(str_skip(code, 2), from_top);
}

static bool
is_frameless(struct str code)
{
	return jumps(code) || returns(code);
}

/* Entries have 16 bytes; those that only jump have 8. */
static size_t
plt_size(struct str section, bool is_got)
{
	if (str_starts(section, ENDBR32))
		return 16;
	if (jumps(section) && str_starts(str_skip(section, 6), STR("\x66\x90")))
		return 8;
	return is_got ? 8 : 16;
}

/*
 * In position-independent code, ebx is the address of the GOT.  If there is a
 * .plt.sec, entries of .plt only push the offset of their relocation; these
 * have 8 bytes.
 */
static bool
plt_slot(struct str entry, uint64_t vaddr, uint64_t got, struct arch_slot *slot)
{
	struct str code = entry;

	(void)vaddr;
	if (str_starts(code, ENDBR32))
		code = str_skip(code, 4);
	slot->by_index = code.len >= 5 && str_starts(code, PUSH);
	if (slot->by_index) {
		slot->index = arch_code_u32(code.p + 1) / 8;
		return true;
	}
	if (code.len < 6 || !jumps(code))
		return false;
	slot->vaddr = arch_code_u32(code.p + 2);
	if (str_starts(code, JMP_EBX_SLOT))
		slot->vaddr = (uint32_t)(slot->vaddr + got);
	return true;
}

/*
 * After the return of the handler, sigframe has the signal number and
 * sigcontext. rt_sigframe has the number, two pointers, siginfo, 128 bytes, and
 * ucontext, with 20 bytes before its sigcontext.  sigcontext starts with 4
 * segment registers.
 */
#define SAVED \
	ARCH_ORDER(EDI, ESI, EBP, ESP, EBX, EDX, ECX, EAX, NONE, NONE, EIP)

static const struct arch_signal signals[] = {
	/* pop %eax; mov $119,%eax; int $0x80 */
	{ { "\x58\xb8\x77\0\0\0\xcd\x80", 8 }, 4 + 4 * 4, SAVED },
	/* mov $173,%eax; int $0x80 */
	{ { "\xb8\xad\0\0\0\xcd\x80", 7 }, 3 * 4 + 128 + 20 + 4 * 4, SAVED }
};

/*
 * __kernel_vsyscall: push %ecx; push %edx; push %ebp; mov; sysenter or syscall;
 * int $0x80; pop %ebp; pop %edx; pop %ecx; ret.  All system calls return to the
 * first pop, which is at 9.
 */
static const char vdso_call[] =
    /* CIE: alignments 1 and -4, return address in 8 */
    "\x14\0\0\0"
    "\0\0\0\0"
    "\1\0\1\x7c\x08"
    "\x0c\x04\x10" /* def_cfa esp+16 */
    "\x88\x01"     /* return address at CFA-4, */
    "\x81\x02"     /* ecx, */
    "\x82\x03"     /* edx, */
    "\x85\x04"     /* ebp at CFA-16 */
    /* FDE: 0, of length 1 */
    "\x0c\0\0\0"
    "\x1c\0\0\0"
    "\0\0\0\0"
    "\1\0\0\0";

const struct arch arch_i386 = {
	.names = "i686 i386 i486 i586",
	.machine = EM_386,
	.audit = 0x40000003,
	.word = 4,
	.address_bits = 64,
	.sp = ESP,
	.fp = EBP,
	.pc = EIP,
	.link = EIP,
	.frame = { 0, 4, 8 },
	/* ax bx cx dx si di bp sp ip; what follows is as on x86-64 */
	.perf = ARCH_ORDER(EAX, EBX, ECX, EDX, ESI, EDI, EBP, ESP, EIP),
	/* after eax: ds, es, fs, gs, orig_eax, eip, cs, eflags, esp, ss */
	.regset = ARCH_ORDER(EBX, ECX, EDX, ESI, EDI, EBP, EAX, NONE, NONE,
			     NONE, NONE, NONE, EIP, NONE, NONE, ESP, NONE),
	.arguments = ARCH_ORDER(EBX, ECX, EDX, ESI, EDI, EBP),
	.call_word = 11,
	.result_word = 6,
	.signals = signals,
	.signals_n = sizeof(signals) / sizeof(*signals),
	.plt = { .size = plt_size, .slot = plt_slot },
	.vdso_call = { vdso_call, sizeof(vdso_call) - 1 },
	.vdso_call_at = 9,
	.capstone = 3,           /* CS_ARCH_X86 */
	.capstone_mode = 1 << 2, /* CS_MODE_32 */
	.is_frameless = is_frameless
};
