/* registers.c - the registers of this machine's threads. */
#include "registers.h"

#include <elf.h>
#include <errno.h>
#include <sys/user.h>

static void
set(struct unwind_registers *r, unsigned number, uint64_t value)
{
	r->value[number] = value;
	r->known |= UINT64_C(1) << number;
}

#if defined(__x86_64__)

enum { SP = 7, PC = 16 };

/* Of arguments of system calls: rdi, rsi, rdx, r10, r8, r9. */
static const uint8_t arguments[] = { 5, 4, 1, 10, 8, 9 };

/* Results of calls by which the kernel makes them begin anew; errno.h of it. */
enum { RESTART_FIRST = 512, RESTART_LAST = 516 };

static void
judge_result(struct registers *r, int64_t result)
{
	if (r->call < 0)
		return;
	r->interrupted = result == -EINTR;
	r->waited = r->interrupted ||
		    (-result >= RESTART_FIRST && -result <= RESTART_LAST);
}

int
registers_machine(void)
{
	return EM_X86_64;
}

bool
registers_read(struct registers *r, const void *regset, size_t size)
{
	struct user_regs_struct u;
	const uint64_t code_64 = 0x33;
	size_t i;

	*r = (struct registers){ .call = -1 };
	if (size != sizeof(u))
		return false;
	memcpy(&u, regset, sizeof(u));
	/* A process of 64 bits may run code of 32. */
	if (u.cs != code_64)
		return false;

	/* DWARF's order. */
	const uint64_t value[] = { u.rax, u.rdx, u.rcx, u.rbx, u.rsi, u.rdi,
				   u.rbp, u.rsp, u.r8,  u.r9,  u.r10, u.r11,
				   u.r12, u.r13, u.r14, u.r15, u.rip };

	for (i = 0; i < sizeof(value) / sizeof(*value); i++)
		set(&r->unwind, (unsigned)i, value[i]);
	r->sp = u.rsp;
	r->pc = u.rip;
	r->call = (int64_t)u.orig_rax;
	judge_result(r, (int64_t)u.rax);
	return true;
}

#elif defined(__aarch64__)

enum { SP = 31, PC = 32 };

static const uint8_t arguments[] = { 0, 1, 2, 3, 4, 5 };

int
registers_machine(void)
{
	return EM_AARCH64;
}

bool
registers_read(struct registers *r, const void *regset, size_t size)
{
	struct user_regs_struct u;
	unsigned i;

	*r = (struct registers){ .call = -1 };
	if (size != sizeof(u))
		return false;
	memcpy(&u, regset, sizeof(u));
	for (i = 0; i < SP; i++)
		set(&r->unwind, i, u.regs[i]);
	set(&r->unwind, SP, r->sp = u.sp);
	set(&r->unwind, PC, r->pc = u.pc);
	/* Which call it is in is told by NT_ARM_SYSTEM_CALL alone. */
	return true;
}

#else
#error "registers.c does not know this machine"
#endif

struct unwind_registers
registers_at(uint64_t sp, uint64_t pc, const uint64_t *arg)
{
	struct unwind_registers r = { .known = 0 };
	size_t i;

	set(&r, SP, sp);
	set(&r, PC, pc);
	for (i = 0; arg != NULL && i < sizeof(arguments); i++)
		set(&r, arguments[i], arg[i]);
	return r;
}
