/* unwind.c - registers and a copy of a stack in, return addresses out. */
#include "unwind.h"

#include "mem.h"
#include "unwindframe.h"
#include "unwindrow.h"

#include <elf.h>
#include <stdlib.h>

/*
 * What a place in a program needs for a step to its caller, as a profile
 * passes the same places again and again.  Most need one sum and some loads;
 * the rest, a few in a hundred, are worked out each time (PLACE_RULES).
 */
enum place_kind {
	PLACE_NONE, /* the slot is empty */
	PLACE_SAVES,
	PLACE_RULES,
	PLACE_POINTER, /* frame pointers */
	PLACE_ROOT,    /* no caller */
	PLACE_NOWHERE  /* no code is there */
};

#define MAX_SAVES 7

/* One line of a cache on machines of today. */
struct place {
	uint64_t address, space;
	uint8_t kind, cfa_register, saves;
	uint8_t save_register[MAX_SAVES];
	int32_t cfa, pc;
	int32_t save[MAX_SAVES]; /* from the CFA */
};

/* 32768 places are 2 MB, a huge page, of which only what is used is touched. */
#define PLACES_LOG 15
#define PLACES ((size_t)1 << PLACES_LOG)

struct unwind {
	const struct unwind_machine *machine;
	struct place *places;
};

_Static_assert(sizeof(struct place) == 64, "a place fills a line");

struct unwind *
unwind_new(int machine)
{
	const struct unwind_machine *m = unwindrow_machine(machine);
	struct unwind *u;

	if (m == NULL)
		return NULL;
	u = mem_zero(1, sizeof(*u));
	u->machine = m;
	u->places = mem_map(PLACES * sizeof(struct place));
	return u;
}

void
unwind_free(struct unwind *u)
{
	if (u == NULL)
		return;
	mem_unmap(u->places, PLACES * sizeof(struct place));
	free(u);
}

/* Sequences of numbers, as of addresses and spaces, come out spread. */
static struct place *
slot_of(const struct unwind *u, uint64_t address, uint64_t space)
{
	const uint64_t mixed = (address ^
				space * UINT64_C(0x9e3779b97f4a7c15)) *
			       UINT64_C(0xd6e8feb86659fd93);

	return &u->places[mixed >> (64 - PLACES_LOG)];
}

static enum place_kind
kind_of(const struct cfi_row *row)
{
	return row->rules[row->return_column].how == CFI_UNDEFINED ?
		   PLACE_ROOT :
		   PLACE_RULES;
}

/* What is at an address: rules, or a kind of place without. */
static enum place_kind
find_rules(const struct unwind *u, const struct unwind_thread *t,
	   uint64_t address, struct cfi_row *row, uint64_t *bias)
{
	struct unwind_map map = { 0 };

	*bias = 0;
	if (!t->map(t->arg, address, &map))
		return PLACE_NOWHERE;
	*bias = map.bias;
	/*
	 * The byte before a return address is looked up: of code that returns
	 * from a signal, and has no rules, that belongs to another function.
	 */
	if (map.cfi != NULL && cfi_find(map.cfi, address - map.bias, row) &&
	    row->end != address - map.bias + 1)
		return kind_of(row);
	if (unwindrow_signal_return(u->machine, t, address + 1, row))
		return PLACE_RULES;
	if (map.cfi != NULL && cfi_find(map.cfi, address - map.bias, row))
		return kind_of(row);
	return PLACE_POINTER;
}

static bool
fits(const struct cfi_rule *rule)
{
	return rule->n >= INT32_MIN && rule->n <= INT32_MAX;
}

/* Whether rules are the common sort; then they are put into p. */
static bool
compile(const struct unwind_machine *m, const struct cfi_row *row,
	struct place *p)
{
	const struct cfi_rule *rule = &row->rules[row->return_column];
	uint8_t i;

	if (row->signal || row->signed_return || row->cfa.how != CFI_REGISTER ||
	    !fits(&row->cfa) || rule->how != CFI_AT_CFA || !fits(rule) ||
	    row->rules[m->sp].how != CFI_SAME)
		return false;
	p->cfa_register = (uint8_t)row->cfa_register;
	p->cfa = (int32_t)row->cfa.n;
	p->pc = (int32_t)rule->n;
	p->saves = 0;
	for (i = 0; i < m->pc; i++) {
		rule = &row->rules[i];
		if (rule->how == CFI_SAME || i == row->return_column)
			continue;
		if (rule->how != CFI_AT_CFA || !fits(rule) ||
		    p->saves == MAX_SAVES)
			return false;
		p->save_register[p->saves] = i;
		p->save[p->saves++] = (int32_t)rule->n;
	}
	return true;
}

static const struct place *
learn(const struct unwind *u, const struct unwind_thread *t, uint64_t address,
      struct place *p)
{
	struct cfi_row row;
	uint64_t bias;
	enum place_kind kind = find_rules(u, t, address, &row, &bias);

	p->address = address;
	p->space = t->space;
	if (kind == PLACE_RULES && compile(u->machine, &row, p))
		kind = PLACE_SAVES;
	p->kind = (uint8_t)kind;
	return p;
}

static bool
load(const struct unwind_thread *t, uint64_t address, uint64_t *n)
{
	const uint64_t offset = address - t->stack_start;

	if (offset < t->stack.len && sizeof(*n) <= t->stack.len - offset) {
		memcpy(n, t->stack.p + offset, sizeof(*n));
		return true;
	}
	return unwindrow_load(t, address, n);
}

static enum unwind_step
step_by_saves(const struct unwind_machine *m, const struct place *p,
	      const struct unwind_thread *t, struct unwind_registers *r)
{
	const uint64_t sp = r->value[m->sp];
	uint64_t cfa, pc, at;
	uint8_t i, reg;

	if (!(r->known >> p->cfa_register & 1))
		return STEP_LOST;
	cfa = r->value[p->cfa_register] + (uint64_t)p->cfa;
	if (cfa <= sp)
		return STEP_LOST;
	if (!load(t, cfa + (uint64_t)p->pc, &pc))
		return unwindrow_missing(t, cfa + (uint64_t)p->pc);
	for (i = 0; i < p->saves; i++) {
		reg = p->save_register[i];
		at = cfa + (uint64_t)p->save[i];
		if (load(t, at, &r->value[reg]))
			r->known |= UINT64_C(1) << reg;
		else if (!unwindrow_was_popped(at, sp))
			r->known &= ~(UINT64_C(1) << reg);
	}
	r->value[m->sp] = cfa;
	r->value[m->pc] = pc;
	r->known |= UINT64_C(1) << m->sp | UINT64_C(1) << m->pc;
	return pc == 0 ? STEP_COMPLETE : STEP_CALLER;
}

/* The step by rules that are not worth, or not able, to be kept. */
static enum unwind_step
step_by_rules(const struct unwind *u, const struct unwind_thread *t,
	      uint64_t address, struct unwind_frame *frame,
	      struct unwind_registers *r, bool *interrupted)
{
	struct cfi_row row;
	uint64_t bias;

	if (find_rules(u, t, address, &row, &bias) != PLACE_RULES)
		return STEP_LOST;
	/* The code that returns from a signal was not called. */
	*interrupted = row.signal;
	frame->exact |= row.signal;
	return unwindrow_step(u->machine, &row, frame->exact, bias, t, r);
}

static void
find_frame(const struct unwind *u, const struct unwind_thread *t,
	   const struct place *p, struct unwind_registers *r)
{
	struct cfi_row row;
	uint64_t bias;

	if (t->find_frame && p->kind == PLACE_SAVES &&
	    p->cfa_register == u->machine->fp &&
	    !(r->known >> p->cfa_register & 1) &&
	    find_rules(u, t, p->address, &row, &bias) == PLACE_RULES)
		unwindframe_find(u->machine, t, &row, bias, r);
}

static const struct place *
place_of(const struct unwind *u, const struct unwind_thread *t,
	 const struct unwind_frame *frame)
{
	const uint64_t address = frame->pc - (frame->exact ? 0 : 1);
	struct place *p = slot_of(u, address, t->space);

	if (p->address == address && p->space == t->space &&
	    p->kind != PLACE_NONE)
		return p;
	return learn(u, t, address, p);
}

/* From a frame to its caller. */
static enum unwind_step
step(const struct unwind *u, const struct unwind_thread *t,
     const struct place *p, struct unwind_frame *frame,
     struct unwind_registers *r, bool *interrupted)
{
	*interrupted = false;
	switch (p->kind) {
	case PLACE_SAVES:
		return step_by_saves(u->machine, p, t, r);
	case PLACE_RULES:
		return step_by_rules(u, t, p->address, frame, r, interrupted);
	case PLACE_POINTER:
		if (frame->exact &&
		    unwindrow_jumps_on(u->machine, t, p->address))
			return unwindrow_bad_call(u->machine, t, r);
		/* Of a function that has not set it, 0 is its callers'. */
		if (frame->exact && r->value[u->machine->fp] == 0)
			return STEP_LOST;
		return unwindrow_frame_pointer(u->machine, t, r);
	case PLACE_ROOT:
		return STEP_COMPLETE;
	}
	/* A call through a bad pointer has gone to where nothing is. */
	return frame->exact ? unwindrow_bad_call(u->machine, t, r) : STEP_LOST;
}

static enum unwind_end
end_of(enum unwind_step how)
{
	return how == STEP_COMPLETE  ? UNWIND_COMPLETE :
	       how == STEP_TRUNCATED ? UNWIND_TRUNCATED :
	       how == STEP_CUT       ? UNWIND_CUT :
				       UNWIND_LOST;
}

/* What else is in the trampoline's page are instructions out of their place. */
static bool
is_probes(const struct unwind_thread *t, uint64_t pc, enum unwind_end *end)
{
	const uint64_t page = 4096;

	if (t->trampoline == 0 || pc - t->trampoline >= page)
		return false;
	*end = pc == t->trampoline ? UNWIND_PROBED : UNWIND_LOST;
	return true;
}

size_t
unwind_stack(struct unwind *u, const struct unwind_thread *thread,
	     struct unwind_frame *frames, size_t max, enum unwind_end *end)
{
	struct unwind_registers r = thread->registers;
	const uint8_t pc = u->machine->pc, sp = u->machine->sp;
	const struct place *p;
	enum unwind_step how;
	bool exact = true;
	size_t n;

	*end = UNWIND_FULL;
	for (n = 0; n < max;) {
		frames[n++] = (struct unwind_frame){ r.value[pc], exact,
						     r.value[sp] };
		if (is_probes(thread, r.value[pc], end))
			break;
		p = place_of(u, thread, &frames[n - 1]);
		find_frame(u, thread, p, &r);
		how = step(u, thread, p, &frames[n - 1], &r, &exact);
		if (how == STEP_CALLER)
			continue;
		*end = end_of(how);
		/* It was no return address. */
		if (p->kind == PLACE_NOWHERE && !frames[n - 1].exact)
			n--;
		break;
	}
	return n;
}

bool
unwind_link(struct unwind *u, const struct unwind_thread *thread,
	    uint64_t *address)
{
	const struct unwind_machine *m = u->machine;
	const struct unwind_registers *r = &thread->registers;
	const uint64_t pc = r->value[m->pc];
	struct cfi_row row;
	uint64_t bias;
	enum place_kind kind;

	if (m->link == m->pc || !(r->known >> m->link & 1))
		return false;
	kind = find_rules(u, thread, pc, &row, &bias);
	if (kind == PLACE_POINTER && !unwindrow_jumps_on(m, thread, pc))
		return false;
	if (kind == PLACE_RULES &&
	    (row.signal || row.return_column != m->link ||
	     row.rules[m->link].how != CFI_SAME))
		return false;
	*address = unwindrow_without_code(m, r->value[m->link]);
	return (kind == PLACE_RULES || kind == PLACE_POINTER) && *address != 0;
}

/* The registers of perf by DWARF's numbers, or NONE. */
#define NONE 0xff
static const uint8_t perf_x86[] = {
	/* Linux, arch/x86/include/uapi/asm/perf_regs.h: ax bx cx dx si di bp
	 * sp ip flags, segments, r8 to r15. */
	0,    3,    2,    1,    4, 5, 6,  7,  16, NONE, NONE, NONE,
	NONE, NONE, NONE, NONE, 8, 9, 10, 11, 12, 13,   14,   15
};

/* arch/arm64's are DWARF's: x0 to x30, sp, pc. */
static uint8_t
perf_number(int machine, unsigned bit)
{
	if (machine == EM_AARCH64)
		return bit < CFI_REGISTERS ? (uint8_t)bit : NONE;
	return bit < sizeof(perf_x86) ? perf_x86[bit] : NONE;
}

bool
unwind_perf_registers(struct unwind_registers *r, int machine, uint64_t abi,
		      uint64_t mask, const uint64_t *values, size_t n)
{
	const struct unwind_machine *m = unwindrow_machine(machine);
	const uint64_t abi_64 = 2; /* PERF_SAMPLE_REGS_ABI_64 */
	unsigned bit;
	size_t i = 0;
	uint8_t reg;

	*r = (struct unwind_registers){ 0 };
	if (m == NULL)
		return false;
	for (bit = 0; bit < 64 && i < n; bit++) {
		if (!(mask >> bit & 1))
			continue;
		reg = perf_number(machine, bit);
		if (reg != NONE) {
			r->value[reg] = values[i];
			r->known |= UINT64_C(1) << reg;
		}
		i++;
	}
	return abi == abi_64 && r->known >> m->sp & 1 && r->known >> m->pc & 1;
}
