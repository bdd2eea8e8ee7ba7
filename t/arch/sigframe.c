/*
 * sigframe - compare where lib/arch finds the registers that a signal saved
 * with the structs that the kernel declares.
 *
 * The structs are those of include/uapi of Linux: asm/sigcontext.h and
 * asm/ucontext.h of each machine, with sizes in place of types that only other
 * machines have.  Registers have the numbers that each machine's ABI has for
 * DWARF.  A line is printed for each register that differs; status 1 then.
 */
#include "arch/arch.h"

#include <elf.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

struct siginfo {
	char bytes[128];
};

/* struct ucontext up to its registers; those of i386 have words of 4 bytes. */
struct ucontext64 {
	uint64_t flags, link;
	struct {
		uint64_t sp;
		int32_t flags, pad;
		uint64_t size;
	} stack;
};

struct x86_64_frame {
	struct ucontext64 uc;
	uint64_t r8, r9, r10, r11, r12, r13, r14, r15, di, si, bp, bx, dx, ax,
	    cx, sp, ip;
};

struct aarch64_frame {
	struct siginfo info;
	struct ucontext64 uc;
	uint64_t sigmask;
	char unused[1024 / 8 - sizeof(uint64_t)];
	struct {
		uint64_t fault_address, regs[31], sp, pc;
	} mcontext __attribute__((aligned(16)));
};

struct riscv64_frame {
	struct siginfo info;
	struct ucontext64 uc;
	uint64_t sigmask;
	char unused[1024 / 8 - sizeof(uint64_t)];
	struct {
		uint64_t pc, x[31]; /* x1 to x31 */
	} mcontext __attribute__((aligned(16)));
};

struct i386_context {
	uint32_t gs, fs, es, ds; /* each of two bytes and padding */
	uint32_t di, si, bp, sp, bx, dx, cx, ax, trapno, err, ip;
};

/* The address of the handler's return is gone already. */
struct i386_old_frame {
	uint32_t signal;
	struct i386_context context;
};

struct i386_rt_frame {
	uint32_t signal, info_at, uc_at;
	struct siginfo info;
	uint32_t flags, link, stack_sp, stack_flags, stack_size;
	struct i386_context context;
};

struct saved {
	uint8_t number; /* DWARF */
	size_t at;
};

#define AT(type, member) offsetof(struct type, member)

static const struct saved x86_64[] = {
	{ 0, AT(x86_64_frame, ax) },   { 1, AT(x86_64_frame, dx) },
	{ 2, AT(x86_64_frame, cx) },   { 3, AT(x86_64_frame, bx) },
	{ 4, AT(x86_64_frame, si) },   { 5, AT(x86_64_frame, di) },
	{ 6, AT(x86_64_frame, bp) },   { 7, AT(x86_64_frame, sp) },
	{ 8, AT(x86_64_frame, r8) },   { 9, AT(x86_64_frame, r9) },
	{ 10, AT(x86_64_frame, r10) }, { 11, AT(x86_64_frame, r11) },
	{ 12, AT(x86_64_frame, r12) }, { 13, AT(x86_64_frame, r13) },
	{ 14, AT(x86_64_frame, r14) }, { 15, AT(x86_64_frame, r15) },
	{ 16, AT(x86_64_frame, ip) },
};

#define I386(frame) \
	{ \
		{ 0, AT(frame, context.ax) }, { 1, AT(frame, context.cx) }, \
		    { 2, AT(frame, context.dx) }, \
		    { 3, AT(frame, context.bx) }, \
		    { 4, AT(frame, context.sp) }, \
		    { 5, AT(frame, context.bp) }, \
		    { 6, AT(frame, context.si) }, \
		    { 7, AT(frame, context.di) }, \
		    { 8, AT(frame, context.ip) }, \
	}

static const struct saved i386_old[] = I386(i386_old_frame);
static const struct saved i386_rt[] = I386(i386_rt_frame);

static int status;

/* Where a signal's frame has a register, or -1. */
static long
place_of(const struct arch *a, const struct arch_signal *s, uint8_t number)
{
	unsigned i;

	for (i = 0; i < s->saved.n; i++) {
		if (s->saved.number[i] == number)
			return s->at + (long)i * a->word;
	}
	return -1;
}

static void
compare(const struct arch *a, unsigned which, const struct saved *saved,
	size_t n)
{
	long at;
	size_t i;

	if (which >= a->signals_n) {
		printf("%s: no signal frame %u\n", a->names, which);
		status = 1;
		return;
	}
	for (i = 0; i < n; i++) {
		at = place_of(a, &a->signals[which], saved[i].number);
		if (at == (long)saved[i].at)
			continue;
		printf("%s: register %u of signal frame %u is at %zu, not at "
		       "%ld\n",
		       a->names, saved[i].number, which, saved[i].at, at);
		status = 1;
	}
}

/* The registers of aarch64 and riscv64 are numbered as they are saved. */
static void
compare_arrays(void)
{
	const struct arch *arm = arch_of(EM_AARCH64);
	const struct arch *riscv = arch_of(EM_RISCV);
	struct saved saved[33];
	size_t i;

	for (i = 0; i < 31; i++)
		saved[i] = (struct saved){
			(uint8_t)i, AT(aarch64_frame, mcontext.regs) + 8 * i
		};
	saved[31] = (struct saved){ 31, AT(aarch64_frame, mcontext.sp) };
	saved[32] = (struct saved){ arm->pc, AT(aarch64_frame, mcontext.pc) };
	compare(arm, 0, saved, 33);
	/* x0 is always 0, and its number is the pc's */
	for (i = 1; i < 32; i++)
		saved[i - 1] = (struct saved){
			(uint8_t)i, AT(riscv64_frame, mcontext.x) + 8 * (i - 1)
		};
	saved[31] = (struct saved){ riscv->pc, AT(riscv64_frame, mcontext.pc) };
	compare(riscv, 0, saved, 32);
}

int
main(void)
{
	compare(arch_of(EM_X86_64), 0, x86_64,
		sizeof(x86_64) / sizeof(*x86_64));
	compare(arch_of(EM_386), 0, i386_old,
		sizeof(i386_old) / sizeof(*i386_old));
	compare(arch_of(EM_386), 1, i386_rt,
		sizeof(i386_rt) / sizeof(*i386_rt));
	compare_arrays();
	return status;
}
