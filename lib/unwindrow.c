/* unwindrow.c - one step to a caller, by any kind of rules. */
#include "unwindrow.h"

#include "cfiexpr.h"

#include <elf.h>

/* Addresses of aarch64 have 48 bits, where a program does not ask for more. */
static const struct unwind_machine machines[] = {
	{ EM_X86_64, 7, 6, 16, 16, 64 },
	{ EM_AARCH64, 31, 29, 32, 30, 48 },
};

const struct unwind_machine *
unwindrow_machine(int machine)
{
	size_t i;

	for (i = 0; i < sizeof(machines) / sizeof(*machines); i++)
		if (machines[i].machine == machine)
			return &machines[i];
	return NULL;
}

static bool
is_known(const struct unwind_registers *r, uint64_t reg)
{
	return reg < CFI_REGISTERS && (r->known >> reg & 1);
}

static void
set(struct unwind_registers *r, uint64_t reg, uint64_t n)
{
	r->value[reg] = n;
	r->known |= UINT64_C(1) << reg;
}

static bool
read_memory(void *arg, uint64_t address, void *to, size_t n)
{
	const struct unwind_thread *t = arg;
	const uint64_t offset = address - t->stack_start;

	if (offset < t->stack.len && n <= t->stack.len - offset) {
		memcpy(to, t->stack.p + offset, n);
		return true;
	}
	return t->read != NULL && t->read(t->arg, address, to, n);
}

bool
unwindrow_load(const struct unwind_thread *t, uint64_t address, uint64_t *n)
{
	return read_memory((void *)(uintptr_t)t, address, n, sizeof(*n));
}

/*
 * The copy ends, and how much more stack there was is not known: up to the
 * largest that a thread commonly has, what is missing was cut off.
 */
#define LARGEST_STACK (UINT64_C(1) << 30)

enum unwind_step
unwindrow_missing(const struct unwind_thread *t, uint64_t address)
{
	const uint64_t offset = address - t->stack_start;

	if (offset + sizeof(uint64_t) <= t->stack.len ||
	    offset >= t->stack.len + LARGEST_STACK)
		return STEP_LOST;
	return offset < UNWIND_LARGEST_COPY ? STEP_CUT : STEP_TRUNCATED;
}

/* One step being made: from the registers in r to those in next. */
struct step {
	const struct unwind_thread *t;
	const struct unwind_registers *r;
	struct unwind_registers next;
	uint64_t bias, cfa;
	uint8_t sp;
	uint64_t missing; /* where memory could not be read; or 0 */
};

static bool
evaluate(struct step *s, struct str expr, uint64_t first, uint64_t *result)
{
	const struct cfiexpr_context context = {
		.value = s->r->value,
		.known = s->r->known,
		.bias = s->bias,
		.read = read_memory,
		.arg = (void *)(uintptr_t)s->t,
	};

	return cfiexpr_run(expr, first, &context, result);
}

static bool
find_cfa(struct step *s, const struct cfi_row *row)
{
	if (row->cfa.how == CFI_EXPR)
		return evaluate(s, row->cfa.expr, 0, &s->cfa);
	if (!is_known(s->r, row->cfa_register))
		return false;
	s->cfa = s->r->value[row->cfa_register] + (uint64_t)row->cfa.n;
	return true;
}

static bool
load(struct step *s, uint64_t address, uint64_t *n)
{
	if (unwindrow_load(s->t, address, n))
		return true;
	s->missing = address;
	return false;
}

/* A register's value in the caller; false if it is not known. */
static bool
find_value(struct step *s, const struct cfi_rule *rule, uint64_t reg,
	   uint64_t *n)
{
	const uint64_t at = s->cfa + (uint64_t)rule->n;

	switch (rule->how) {
	case CFI_SAME:
		*n = s->r->value[reg];
		return is_known(s->r, reg);
	case CFI_UNDEFINED:
		return false;
	case CFI_AT_CFA:
		if (load(s, at, n))
			return true;
		*n = s->r->value[reg];
		return is_known(s->r, reg) &&
		       unwindrow_was_popped(at, s->r->value[s->sp]);
	case CFI_CFA:
		*n = at;
		return true;
	case CFI_REGISTER:
		if (!is_known(s->r, (uint64_t)rule->n))
			return false;
		*n = s->r->value[rule->n];
		return true;
	case CFI_AT_EXPR:
		return evaluate(s, rule->expr, s->cfa, n) && load(s, *n, n);
	case CFI_EXPR:
		return evaluate(s, rule->expr, s->cfa, n);
	}
	return false;
}

static void
find_registers(struct step *s, const struct cfi_row *row, uint8_t sp)
{
	uint64_t n = 0;
	uint8_t i;

	s->next.known = 0;
	for (i = 0; i < CFI_REGISTERS; i++)
		if (find_value(s, &row->rules[i], i, &n))
			set(&s->next, i, n);
	if (row->rules[sp].how == CFI_SAME)
		set(&s->next, sp, s->cfa);
}

uint64_t
unwindrow_without_code(const struct unwind_machine *m, uint64_t address)
{
	return m->address_bits < 64 ?
		   address & ((UINT64_C(1) << m->address_bits) - 1) :
		   address;
}

enum unwind_step
unwindrow_step(const struct unwind_machine *m, const struct cfi_row *row,
	       bool leaf, uint64_t bias, const struct unwind_thread *t,
	       struct unwind_registers *r)
{
	struct step s = { .t = t, .r = r, .bias = bias, .sp = m->sp };
	const uint32_t column = row->return_column;
	const uint64_t sp = r->value[m->sp];
	uint64_t pc = 0;

	if (row->rules[column].how == CFI_UNDEFINED)
		return STEP_COMPLETE;
	if (!find_cfa(&s, row))
		return STEP_LOST;
	find_registers(&s, row, m->sp);
	s.missing = 0;
	/* Of x86 the return address has a number but is in no register. */
	if (column == m->pc && row->rules[column].how == CFI_SAME)
		return STEP_LOST;
	if (!find_value(&s, &row->rules[column], column, &pc))
		return s.missing != 0 ? unwindrow_missing(t, s.missing) :
					STEP_LOST;
	if (!row->signal && s.next.value[m->sp] <= sp &&
	    !(leaf && s.next.value[m->sp] == sp && pc != r->value[m->pc]))
		return STEP_LOST;
	if (row->signed_return)
		pc = unwindrow_without_code(m, pc);
	/* A signal's row has the interrupted pc in a column of its own. */
	set(&s.next, m->pc, pc);
	*r = s.next;
	/* A signal may be that of a call to 0. */
	return pc == 0 && !row->signal ? STEP_COMPLETE : STEP_CALLER;
}

enum unwind_step
unwindrow_frame_pointer(const struct unwind_machine *m,
			const struct unwind_thread *t,
			struct unwind_registers *r)
{
	const uint64_t fp = r->value[m->fp];
	uint64_t caller_fp, pc;

	if (!is_known(r, m->fp) || !is_known(r, m->sp))
		return STEP_LOST;
	/* The ABI has 0 in the outermost frame. */
	if (fp == 0)
		return STEP_COMPLETE;
	if (fp < r->value[m->sp] || fp % sizeof(uint64_t) != 0)
		return STEP_LOST;
	if (!unwindrow_load(t, fp, &caller_fp) ||
	    !unwindrow_load(t, fp + 8, &pc))
		return unwindrow_missing(t, fp + 8);
	/* What is saved by callees may be anywhere, or where it was. */
	set(r, m->fp, caller_fp);
	set(r, m->sp, fp + 16);
	pc = unwindrow_without_code(m, pc);
	set(r, m->pc, pc);
	return pc == 0 ? STEP_COMPLETE : STEP_CALLER;
}

/* endbr64; bnd, or mold's mov $i,%r11d; jmp *slot(%rip) */
static bool
x86_jumps_on(const struct unwind_thread *t, uint64_t address)
{
	char code[12];
	struct str rest = { code, sizeof(code) };

	if (!t->read(t->arg, address, code, sizeof(code)))
		return false;
	if (str_starts(rest, STR("\xf3\x0f\x1e\xfa")))
		rest = str_skip(rest, 4);
	if (str_starts(rest, STR("\x41\xbb")))
		rest = str_skip(rest, 6);
	else if (str_starts(rest, STR("\xf2")))
		rest = str_skip(rest, 1);
	return str_starts(rest, STR("\xff\x25"));
}

/* bti c; adrp x16,slot; ldr x17,[x16,slot]; add x16,x16,slot; br x17 */
static bool
aarch64_jumps_on(const struct unwind_thread *t, uint64_t address)
{
	const uint32_t bti = 0xd503245f, br = 0xd61f0220;
	const uint32_t adrp = 0x90000010, ldr = 0xf9400211, add = 0x91000210;
	const uint32_t page = 0x9f00001f, offset = 0xffc003ff; /* not these */
	unsigned char code[4];
	uint32_t n;
	int i;

	for (i = 0; i < 5; i++, address += sizeof(code)) {
		if (!t->read(t->arg, address, code, sizeof(code)))
			return false;
		n = code[0] | (uint32_t)code[1] << 8 | (uint32_t)code[2] << 16 |
		    (uint32_t)code[3] << 24;
		if (n == br)
			return true;
		if (n != bti && (n & page) != adrp && (n & offset) != ldr &&
		    (n & offset) != add)
			return false;
	}
	return false;
}

bool
unwindrow_jumps_on(const struct unwind_machine *m,
		   const struct unwind_thread *t, uint64_t address)
{
	if (t->read == NULL)
		return false;
	return m->machine == EM_AARCH64 ? aarch64_jumps_on(t, address) :
					  x86_jumps_on(t, address);
}

enum unwind_step
unwindrow_bad_call(const struct unwind_machine *m,
		   const struct unwind_thread *t, struct unwind_registers *r)
{
	const uint64_t sp = r->value[m->sp];
	uint64_t pc;

	if (!is_known(r, m->sp))
		return STEP_LOST;
	if (m->link != m->pc) {
		if (!is_known(r, m->link))
			return STEP_LOST;
		pc = r->value[m->link];
	} else {
		if (!unwindrow_load(t, sp, &pc))
			return unwindrow_missing(t, sp);
		set(r, m->sp, sp + 8);
	}
	set(r, m->pc, pc);
	return STEP_CALLER;
}

/* Linux, arch/x86/include/uapi/asm/sigcontext.h: registers by their place. */
static const uint8_t x86_places[] = { 8, 9, 10, 11, 12, 13, 14, 15, 5,
				      4, 6, 3,  1,  0,  2,  7,  16 };

/* As the kernel left it: the stack pointer at struct ucontext. */
static void
x86_signal_row(struct cfi_row *row)
{
	size_t i;

	for (i = 0; i < sizeof(x86_places); i++)
		row->rules[x86_places[i]] = (struct cfi_rule){
			.how = CFI_AT_CFA, .n = (int64_t)(40 + 8 * i)
		};
}

/* siginfo, 128 bytes; of ucontext 176; of sigcontext 8; then x0 to x30, sp. */
static void
aarch64_signal_row(struct cfi_row *row)
{
	size_t i;

	for (i = 0; i < CFI_REGISTERS; i++)
		row->rules[i] = (struct cfi_rule){
			.how = CFI_AT_CFA, .n = (int64_t)(128 + 176 + 8 + 8 * i)
		};
}

bool
unwindrow_signal_return(const struct unwind_machine *m,
			const struct unwind_thread *t, uint64_t address,
			struct cfi_row *row)
{
	/* mov $15,%rax; syscall, and mov x8,#139; svc #0 */
	static const char x86[9] = "\x48\xc7\xc0\x0f\0\0\0\x0f\x05";
	static const char aarch64[8] = "\x68\x11\x80\xd2\x01\0\0\xd4";
	const bool is_x86 = m->machine == EM_X86_64;
	const size_t n = is_x86 ? sizeof(x86) : sizeof(aarch64);
	char code[sizeof(x86)];

	if (t->read == NULL || !t->read(t->arg, address, code, n) ||
	    memcmp(code, is_x86 ? x86 : aarch64, n) != 0)
		return false;
	memset(row, 0, sizeof(*row));
	row->cfa.how = CFI_REGISTER;
	row->cfa_register = m->sp;
	row->return_column = m->pc;
	row->signal = true;
	if (is_x86)
		x86_signal_row(row);
	else
		aarch64_signal_row(row);
	return true;
}
