/* unwind.c - the call stack of a thread, from registers and stack memory. */
#include "unwind/unwind.h"

#include "base/mem.h"
#include "unwind/cfiexpr.h"

#include <stdlib.h>

/* How a step to a caller ended. */
enum unwind_step {
	STEP_CALLER, /* the registers are the caller's now */
	STEP_COMPLETE,
	STEP_TRUNCATED,
	STEP_CUT, /* truncated, but a larger copy would have helped */
	STEP_LOST
};

/* Memory. */

/* Where an address is in the stack copy; NULL if it does not have n bytes. */
static const char *
copied(const struct unwind_thread *t, uint64_t address, size_t n)
{
	const uint64_t offset = address - t->stack_start;

	return offset < t->stack.len && n <= t->stack.len - offset ?
		   t->stack.p + offset :
		   NULL;
}

static bool
read_memory(void *arg, uint64_t address, void *to, size_t n)
{
	const struct unwind_thread *t = arg;
	const char *p = copied(t, address, n);

	if (p == NULL)
		return t->read != NULL && t->read(t->arg, address, to, n);
	memcpy(to, p, n);
	return true;
}

static bool
load_far(const struct unwind_thread *t, uint64_t address, uint64_t *n)
{
	uint64_t wide;
	uint32_t narrow;
	void *to = t->arch->word == 4 ? (void *)&narrow : &wide;

	if (!read_memory((void *)(uintptr_t)t, address, to, t->arch->word))
		return false;
	*n = t->arch->word == 4 ? narrow : wide;
	return true;
}

/* Read a word of the thread's memory. */
static inline bool
load(const struct unwind_thread *t, uint64_t address, uint64_t *n)
{
	const uint64_t offset = address - t->stack_start;

	/* Nearly all words are of 64 bits and in the copy. */
	if (offset < t->stack.len && sizeof(*n) <= t->stack.len - offset &&
	    t->arch->word == sizeof(*n)) {
		memcpy(n, t->stack.p + offset, sizeof(*n));
		return true;
	}
	return load_far(t, address, n);
}

/*
 * How a step ends that cannot read an address.  The size of the whole stack is
 * unknown: up to the largest that threads commonly have, the copy was too
 * short.
 */
static enum unwind_step
missing(const struct unwind_thread *t, uint64_t address)
{
	const uint64_t largest = UINT64_C(1) << 30;
	const uint64_t offset = address - t->stack_start;

	if (offset + t->arch->word <= t->stack.len ||
	    offset >= t->stack.len + largest)
		return STEP_LOST;
	return offset < UNWIND_LARGEST_COPY ? STEP_CUT : STEP_TRUNCATED;
}

/*
 * Whether a register that was saved at an address has its value again.  At the
 * end of a function, compilers say until the return where registers were saved.
 * But what was popped lies below the stack pointer, and copies made by perf
 * lack it.
 */
static bool
was_popped(const struct arch *a, uint64_t address, uint64_t sp)
{
	return address < sp && sp - address <= 16u * a->word;
}

/* An address without its signature. */
static uint64_t
unsigned_address(const struct arch *a, uint64_t address)
{
	return a->address_bits < 64 ?
		   address & ((UINT64_C(1) << a->address_bits) - 1) :
		   address;
}

/* Steps by the rules of a row. */

/* A step from the registers in r to those in next. */
struct unwind_row_step {
	const struct unwind_thread *t;
	const struct arch_registers *r;
	struct arch_registers next;
	uint64_t bias, cfa;
	uint64_t missing; /* address that could not be read; or 0 */
};

static bool
evaluate(struct unwind_row_step *s, struct str expr, uint64_t first,
	 uint64_t *result)
{
	const struct cfiexpr_context context = {
		.registers = s->r,
		.bias = s->bias,
		.word = s->t->arch->word,
		.read = read_memory,
		.arg = (void *)(uintptr_t)s->t,
	};

	return cfiexpr_run(expr, first, &context, result);
}

static bool
find_cfa(struct unwind_row_step *s, const struct cfi_row *row)
{
	if (row->cfa.how == CFI_EXPR)
		return evaluate(s, row->cfa.expr, 0, &s->cfa);
	if (!arch_knows(s->r, row->cfa_register))
		return false;
	s->cfa = s->r->value[row->cfa_register] + (uint64_t)row->cfa.n;
	return true;
}

static bool
load_saved(struct unwind_row_step *s, uint64_t address, uint64_t *n)
{
	if (load(s->t, address, n))
		return true;
	s->missing = address;
	return false;
}

/* The value of a register in the caller; false if it is unknown. */
static bool
find_value(struct unwind_row_step *s, const struct cfi_rule *rule,
	   uint64_t number, uint64_t *n)
{
	const struct arch *a = s->t->arch;
	const uint64_t at = s->cfa + (uint64_t)rule->n;

	switch (rule->how) {
	case CFI_SAME:
		*n = s->r->value[number];
		return arch_knows(s->r, number);
	case CFI_UNDEFINED:
		return false;
	case CFI_AT_CFA:
		if (load_saved(s, at, n))
			return true;
		*n = s->r->value[number];
		return arch_knows(s->r, number) &&
		       was_popped(a, at, s->r->value[a->sp]);
	case CFI_CFA:
		*n = at;
		return true;
	case CFI_REGISTER:
		if (!arch_knows(s->r, (uint64_t)rule->n))
			return false;
		*n = s->r->value[rule->n];
		return true;
	case CFI_AT_EXPR:
		return evaluate(s, rule->expr, s->cfa, n) &&
		       load_saved(s, *n, n);
	case CFI_EXPR:
		return evaluate(s, rule->expr, s->cfa, n);
	}
	return false;
}

static void
find_values(struct unwind_row_step *s, const struct cfi_row *row)
{
	const uint8_t sp = s->t->arch->sp;
	uint64_t n = 0;
	uint8_t i;

	s->next.known = 0;
	for (i = 0; i < ARCH_REGISTERS; i++)
		if (find_value(s, &row->rules[i], i, &n))
			arch_set(&s->next, i, n);
	if (row->rules[sp].how == CFI_SAME)
		arch_set(&s->next, sp, s->cfa);
}

/*
 * A step by the rules of a row.  exact: the frame has made no call yet, so the
 * caller may have the same stack pointer.
 */
static enum unwind_step
step_by_row(const struct unwind_thread *t, const struct cfi_row *row,
	    uint64_t bias, bool exact, struct arch_registers *r)
{
	const struct arch *a = t->arch;
	struct unwind_row_step s = { .t = t, .r = r, .bias = bias };
	const uint32_t column = row->return_column;
	const uint64_t sp = r->value[a->sp];
	uint64_t pc = 0;

	if (row->rules[column].how == CFI_UNDEFINED)
		return STEP_COMPLETE;
	if (!find_cfa(&s, row))
		return STEP_LOST;
	find_values(&s, row);
	s.missing = 0;
	/* On x86 the return address has a number but is in no register. */
	if (column == a->pc && row->rules[column].how == CFI_SAME)
		return STEP_LOST;
	if (!find_value(&s, &row->rules[column], column, &pc))
		return s.missing != 0 ? missing(t, s.missing) : STEP_LOST;
	if (!row->signal && s.next.value[a->sp] <= sp &&
	    !(exact && s.next.value[a->sp] == sp && pc != r->value[a->pc]))
		return STEP_LOST;
	if (row->signed_return)
		pc = unsigned_address(a, pc);
	/* A signal's row has the interrupted pc in a column of its own. */
	arch_set(&s.next, a->pc, pc);
	*r = s.next;
	/* The signal may be that of a call to 0. */
	return pc == 0 && !row->signal ? STEP_COMPLETE : STEP_CALLER;
}

/* Steps without unwind tables. */

/*
 * The frame pointer of the caller of a leaf function that saved only that, in
 * the place of the return address.  False if there is a return address: that
 * is in executable memory.
 */
static bool
find_leaf_pointer(const struct unwind_thread *t, const struct arch_registers *r,
		  uint64_t *caller_fp)
{
	const struct arch *a = t->arch;
	const uint64_t fp = r->value[a->fp];
	struct unwind_map map;

	return a->leaf_saves_fp && arch_knows(r, a->link) &&
	       load(t, fp + (uint64_t)a->frame.pc, caller_fp) &&
	       *caller_fp > fp && *caller_fp % a->word == 0 &&
	       !t->map(t->arg, *caller_fp - 1, &map);
}

static enum unwind_step
step_by_pointer(const struct unwind_thread *t, bool exact,
		struct arch_registers *r)
{
	const struct arch *a = t->arch;
	const uint64_t fp = r->value[a->fp];
	const uint64_t pc_at = fp + (uint64_t)a->frame.pc;
	uint64_t caller_fp, pc;

	if (!arch_knows(r, a->fp) || !arch_knows(r, a->sp))
		return STEP_LOST;
	/* ABIs have 0 in the outermost frame. */
	if (fp == 0)
		return STEP_COMPLETE;
	if (fp + (uint64_t)a->frame.fp < r->value[a->sp] || fp % a->word != 0)
		return STEP_LOST;
	if (exact && find_leaf_pointer(t, r, &caller_fp))
		pc = r->value[a->link];
	else if (!load(t, fp + (uint64_t)a->frame.fp, &caller_fp) ||
		 !load(t, pc_at, &pc))
		return missing(t, pc_at);
	/* Other registers that callees save may have been saved anywhere. */
	arch_set(r, a->fp, caller_fp);
	arch_set(r, a->sp, fp + a->frame.cfa);
	pc = unsigned_address(a, pc);
	arch_set(r, a->pc, pc);
	return pc == 0 ? STEP_COMPLETE : STEP_CALLER;
}

/* Read as much code as there is at an address, up to size bytes. */
static size_t
read_code(const struct unwind_thread *t, uint64_t address, char *to,
	  size_t size)
{
	const size_t piece = 4;
	size_t n;

	if (t->read == NULL)
		return 0;
	if (t->read(t->arg, address, to, size))
		return size;
	for (n = 0; n + piece <= size; n += piece)
		if (!t->read(t->arg, address + n, to + n, piece))
			break;
	return n;
}

/* Whether the code at an address has put nothing on the stack. */
static bool
is_frameless(const struct unwind_thread *t, uint64_t address)
{
	char code[ARCH_CODE];
	const size_t n = read_code(t, address, code, sizeof(code));

	return t->arch->is_frameless((struct str){ code, n });
}

/*
 * A step out of such code, or out of a call to an address without code.  The
 * return address is where the call has put it.
 */
static enum unwind_step
step_to_caller(const struct unwind_thread *t, struct arch_registers *r)
{
	const struct arch *a = t->arch;
	const uint64_t sp = r->value[a->sp];
	uint64_t pc;

	if (!arch_knows(r, a->sp))
		return STEP_LOST;
	if (a->link != a->pc) {
		if (!arch_knows(r, a->link))
			return STEP_LOST;
		pc = r->value[a->link];
	} else {
		if (!load(t, sp, &pc))
			return missing(t, sp);
		arch_set(r, a->sp, sp + a->word);
	}
	arch_set(r, a->pc, pc);
	return STEP_CALLER;
}

static void
make_signal_row(const struct arch *a, const struct arch_signal *signal,
		struct cfi_row *row)
{
	uint8_t i, number;

	memset(row, 0, sizeof(*row));
	row->cfa.how = CFI_REGISTER;
	row->cfa_register = a->sp;
	row->return_column = a->pc;
	row->signal = true;
	for (i = 0; i < signal->saved.n; i++) {
		number = signal->saved.number[i];
		if (number != ARCH_OTHER)
			row->rules[number] = (struct cfi_rule){
				.how = CFI_AT_CFA, .n = signal->at + i * a->word
			};
	}
}

/*
 * The row of code at an address that returns from a signal; false if it is
 * other code.  Some C libraries have no unwind tables for it.
 */
static bool
find_signal(const struct unwind_thread *t, uint64_t address,
	    struct cfi_row *row)
{
	const struct arch *a = t->arch;
	char code[ARCH_CODE];
	struct str what;
	uint8_t i;

	if (t->read == NULL)
		return false;
	for (i = 0; i < a->signals_n; i++) {
		what = a->signals[i].code;
		if (!t->read(t->arg, address, code, what.len) ||
		    memcmp(code, what.p, what.len) != 0)
			continue;
		make_signal_row(a, &a->signals[i], row);
		return true;
	}
	return false;
}

/* Frame pointers that are unknown, of threads that were not stopped. */

/* Whether a function begins at an address, or a jump to one of a library. */
static bool
leads_to(const struct unwind_thread *t, uint64_t address, uint64_t function)
{
	return address == function || is_frameless(t, address);
}

/* Whether the code before an address calls a function. */
static bool
is_called_from(const struct unwind_thread *t, uint64_t function,
	       uint64_t address)
{
	char code[ARCH_CALL];
	const struct str whole = { code, sizeof(code) };
	struct unwind_map map;
	uint64_t target;

	if (!t->map(t->arg, address - 1, &map) ||
	    !read_memory((void *)(uintptr_t)t, address - sizeof(code), code,
			 sizeof(code)))
		return false;
	return (t->arch->calls(whole, address, &target) &&
		leads_to(t, target, function)) ||
	       t->arch->calls_indirectly(whole);
}

/* How much stack lies between the CFA and the register saved last. */
static uint64_t
saved_size(const struct cfi_row *row)
{
	int64_t n = 0;
	size_t i;

	for (i = 0; i < ARCH_REGISTERS; i++)
		if (row->rules[i].how == CFI_AT_CFA && row->rules[i].n < n)
			n = row->rules[i].n;
	return (uint64_t)-n;
}

/*
 * Find the frame pointer of a function that keeps one, whose rules are row, at
 * a bias, from how much stack its start makes room for.  False unless a return
 * address is where that would leave it.
 */
static bool
find_pointer(const struct unwind_thread *t, const struct cfi_row *row,
	     uint64_t bias, struct arch_registers *r)
{
	enum { BEGINNING = 128 }; /* where functions make room */
	const struct arch *a = t->arch;
	const uint64_t begin = row->start + bias, pc = r->value[a->pc];
	uint64_t cfa = r->value[a->sp] + saved_size(row), caller;
	char code[BEGINNING];
	size_t n;

	if (a->stack_room == NULL || row->cfa.how != CFI_REGISTER ||
	    row->cfa_register != a->fp || row->cfa.n != a->frame.cfa ||
	    pc < begin)
		return false;
	n = read_code(t, begin, code, sizeof(code));
	if (n > pc - begin)
		n = pc - begin;
	cfa += a->stack_room((struct str){ code, n });
	if (!load(t, cfa - a->word, &caller) ||
	    !is_called_from(t, begin, caller))
		return false;
	arch_set(r, a->fp, cfa - a->frame.cfa);
	return true;
}

/* The cache. */

/*
 * How to step from an address to its caller.  A profile has the same addresses
 * again and again, and most steps need a sum and a few loads.  The other few
 * in a hundred are worked out each time (SITE_RULES).
 */
enum site_kind {
	SITE_EMPTY,   /* the slot is free */
	SITE_OFFSETS, /* of the CFA and of saved registers */
	SITE_RULES,
	SITE_POINTER,  /* by frame pointer */
	SITE_ROOT,     /* no caller */
	SITE_UNMAPPED, /* no code there */
};

#define MAX_SAVED 7

/* A cache line of today's CPUs. */
struct unwind_site {
	uint64_t address, space;
	uint8_t kind, cfa_register, saved;
	uint8_t saved_register[MAX_SAVED];
	uint8_t record1; /* enum unwind_record + 1; 0: not needed yet */
	int32_t cfa, pc;
	int32_t saved_at[MAX_SAVED]; /* from the CFA */
};

_Static_assert(sizeof(struct unwind_site) == 64, "a site fills a cache line");

/* 32768 sites are 2 MB, a huge page; only what is used is touched. */
#define SITES_LOG 15
#define SITES ((size_t)1 << SITES_LOG)

struct unwind {
	struct unwind_site *sites;
};

struct unwind *
unwind_new(void)
{
	struct unwind *u = mem_zero(1, sizeof(*u));

	u->sites = mem_map(SITES * sizeof(struct unwind_site));
	return u;
}

void
unwind_free(struct unwind *u)
{
	if (u == NULL)
		return;
	mem_unmap(u->sites, SITES * sizeof(struct unwind_site));
	free(u);
}

/* Spreads sequences of numbers, such as addresses and spaces. */
static struct unwind_site *
slot_of(const struct unwind *u, uint64_t address, uint64_t space)
{
	const uint64_t mixed = (address ^
				space * UINT64_C(0x9e3779b97f4a7c15)) *
			       UINT64_C(0xd6e8feb86659fd93);

	return &u->sites[mixed >> (64 - SITES_LOG)];
}

static enum site_kind
kind_of(const struct cfi_row *row)
{
	return row->rules[row->return_column].how == CFI_UNDEFINED ? SITE_ROOT :
								     SITE_RULES;
}

/* Whether a row of a signal's return has no rules, as Linux has on riscv64. */
static bool
is_bare_signal(const struct cfi_row *row)
{
	return row->signal && row->rules[row->return_column].how == CFI_SAME;
}

/* Find the rules at an address, or which kind of site without rules it is. */
static enum site_kind
find_rules(const struct unwind_thread *t, uint64_t address, struct cfi_row *row,
	   uint64_t *bias)
{
	struct unwind_map map = { 0 };

	*bias = 0;
	if (!t->map(t->arg, address, &map))
		return SITE_UNMAPPED;
	*bias = map.bias;
	if (map.like != 0)
		return cfi_find(map.cfi, map.like - map.bias, row) ?
			   SITE_RULES :
			   SITE_POINTER;
	/*
	 * The address is the byte before a return address.  If the code that
	 * returns from a signal has no rules, that byte belongs to another
	 * function, which ends there.
	 */
	if (map.cfi != NULL && cfi_find(map.cfi, address - map.bias, row) &&
	    row->end != address - map.bias + 1) {
		if (is_bare_signal(row) && !find_signal(t, address, row))
			find_signal(t, address + 1, row);
		return kind_of(row);
	}
	if (find_signal(t, address + 1, row))
		return SITE_RULES;
	if (map.cfi != NULL && cfi_find(map.cfi, address - map.bias, row))
		return kind_of(row);
	return SITE_POINTER;
}

static bool
fits(const struct cfi_rule *rule)
{
	return rule->n >= INT32_MIN && rule->n <= INT32_MAX;
}

/* Put the rules into a site; false if they are not the common sort. */
static bool
compile(const struct arch *a, const struct cfi_row *row, struct unwind_site *s)
{
	const struct cfi_rule *rule = &row->rules[row->return_column];
	uint8_t i;

	if (row->signal || row->signed_return || row->cfa.how != CFI_REGISTER ||
	    !fits(&row->cfa) || rule->how != CFI_AT_CFA || !fits(rule) ||
	    row->rules[a->sp].how != CFI_SAME)
		return false;
	s->cfa_register = (uint8_t)row->cfa_register;
	s->cfa = (int32_t)row->cfa.n;
	s->pc = (int32_t)rule->n;
	s->saved = 0;
	for (i = 0; i < a->pc; i++) {
		rule = &row->rules[i];
		if (rule->how == CFI_SAME || i == row->return_column)
			continue;
		if (rule->how != CFI_AT_CFA || !fits(rule) ||
		    s->saved == MAX_SAVED)
			return false;
		s->saved_register[s->saved] = i;
		s->saved_at[s->saved++] = (int32_t)rule->n;
	}
	return true;
}

static struct unwind_site *
fill(const struct unwind_thread *t, uint64_t address, struct unwind_site *s)
{
	struct cfi_row row;
	uint64_t bias;
	enum site_kind kind = find_rules(t, address, &row, &bias);

	s->address = address;
	s->space = t->space;
	s->record1 = 0;
	if (kind == SITE_RULES && compile(t->arch, &row, s))
		kind = SITE_OFFSETS;
	s->kind = (uint8_t)kind;
	return s;
}

static struct unwind_site *
find_site(const struct unwind *u, const struct unwind_thread *t,
	  const struct unwind_frame *frame)
{
	const uint64_t address = frame->pc - (frame->exact ? 0 : 1);
	struct unwind_site *s = slot_of(u, address, t->space);

	if (s->address == address && s->space == t->space &&
	    s->kind != SITE_EMPTY)
		return s;
	return fill(t, address, s);
}

static enum unwind_step
step_by_offsets(const struct unwind_site *s, const struct unwind_thread *t,
		struct arch_registers *r)
{
	const struct arch *a = t->arch;
	const uint64_t sp = r->value[a->sp];
	uint64_t cfa, pc, at;
	uint8_t i, number;

	if (!(r->known >> s->cfa_register & 1))
		return STEP_LOST;
	cfa = r->value[s->cfa_register] + (uint64_t)s->cfa;
	if (cfa <= sp)
		return STEP_LOST;
	if (!load(t, cfa + (uint64_t)s->pc, &pc))
		return missing(t, cfa + (uint64_t)s->pc);
	for (i = 0; i < s->saved; i++) {
		number = s->saved_register[i];
		at = cfa + (uint64_t)s->saved_at[i];
		if (load(t, at, &r->value[number]))
			r->known |= UINT64_C(1) << number;
		else if (!was_popped(a, at, sp))
			r->known &= ~(UINT64_C(1) << number);
	}
	arch_set(r, a->sp, cfa);
	arch_set(r, a->pc, pc);
	return pc == 0 ? STEP_COMPLETE : STEP_CALLER;
}

/* A step by rules that a site has no room for. */
static enum unwind_step
step_by_rules(const struct unwind_thread *t, uint64_t address,
	      struct unwind_frame *frame, struct arch_registers *r,
	      bool *interrupted)
{
	struct cfi_row row;
	uint64_t bias;

	if (find_rules(t, address, &row, &bias) != SITE_RULES)
		return STEP_LOST;
	/* Nothing called the code that returns from a signal. */
	*interrupted = row.signal;
	frame->exact |= row.signal;
	return step_by_row(t, &row, bias, frame->exact, r);
}

/* Before a step that needs the frame pointer, find it if it is unknown. */
static void
complete_registers(const struct unwind_thread *t, const struct unwind_site *s,
		   struct arch_registers *r)
{
	struct cfi_row row;
	uint64_t bias;

	if (t->find_frame && s->kind == SITE_OFFSETS &&
	    s->cfa_register == t->arch->fp && !arch_knows(r, t->arch->fp) &&
	    find_rules(t, s->address, &row, &bias) == SITE_RULES)
		find_pointer(t, &row, bias, r);
}

/* Stacks. */

/* Step from a frame to its caller. */
static enum unwind_step
step(const struct unwind_thread *t, const struct unwind_site *s,
     struct unwind_frame *frame, struct arch_registers *r, bool *interrupted)
{
	*interrupted = false;
	switch (s->kind) {
	case SITE_OFFSETS:
		return step_by_offsets(s, t, r);
	case SITE_RULES:
		return step_by_rules(t, s->address, frame, r, interrupted);
	case SITE_POINTER:
		if (frame->exact && is_frameless(t, s->address))
			return step_to_caller(t, r);
		/* The function may not have set it: 0 is a caller's then. */
		if (frame->exact && r->value[t->arch->fp] == 0)
			return STEP_LOST;
		return step_by_pointer(t, frame->exact, r);
	case SITE_ROOT:
		return STEP_COMPLETE;
	}
	/* A call through a bad pointer. */
	return frame->exact ? step_to_caller(t, r) : STEP_LOST;
}

static enum unwind_end
end_of(enum unwind_step how)
{
	return how == STEP_COMPLETE  ? UNWIND_COMPLETE :
	       how == STEP_TRUNCATED ? UNWIND_TRUNCATED :
	       how == STEP_CUT       ? UNWIND_CUT :
				       UNWIND_LOST;
}

/*
 * Whether a pc is in the page of the probes' trampoline.  That page also has
 * copies of single instructions, whose functions are unknown.
 */
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
	struct arch_registers r = thread->registers;
	const uint8_t pc = thread->arch->pc, sp = thread->arch->sp;
	const uint8_t fp = thread->arch->fp;
	const struct unwind_site *s;
	enum unwind_step how;
	bool exact = true;
	size_t n;

	*end = UNWIND_FULL;
	for (n = 0; n < max;) {
		frames[n++] = (struct unwind_frame){ .pc = r.value[pc],
						     .exact = exact,
						     .knows_fp = arch_knows(&r,
									    fp),
						     .sp = r.value[sp],
						     .fp = r.value[fp] };
		if (is_probes(thread, r.value[pc], end))
			break;
		s = find_site(u, thread, &frames[n - 1]);
		complete_registers(thread, s, &r);
		how = step(thread, s, &frames[n - 1], &r, &exact);
		if (how == STEP_CALLER)
			continue;
		*end = end_of(how);
		/* The pc was no return address. */
		if (s->kind == SITE_UNMAPPED && !frames[n - 1].exact)
			n--;
		break;
	}
	return n;
}

/* Frame records. */

/* Whether the code before an address may have set the frame pointer. */
static bool
sets_fp(const struct unwind_thread *t, const struct cfi_row *row, uint64_t bias)
{
	enum { BEGINNING = 64 }; /* where functions make their frames */
	const uint64_t size = row->end - row->start;
	char code[BEGINNING];
	size_t n;

	n = read_code(t, row->start + bias, code,
		      size < BEGINNING ? (size_t)size : BEGINNING);
	return t->arch->sets_fp((struct str){ code, n });
}

/* The record by rules that say where the frame pointer was saved. */
static enum unwind_record
saved_record(const struct arch *a, const struct cfi_row *row, bool sets)
{
	const int64_t cfa = row->cfa.n, at = row->rules[a->fp].n;

	if (row->cfa.how != CFI_REGISTER)
		return UNWIND_RECORD_UNKNOWN;
	if (row->cfa_register == a->fp)
		return cfa == a->frame.cfa && at == a->frame.fp - a->frame.cfa ?
			   UNWIND_RECORD_OWN :
			   UNWIND_RECORD_UNKNOWN;
	if (row->cfa_register != a->sp)
		return UNWIND_RECORD_UNKNOWN;
	/* Only the return address is on the stack: it was popped again. */
	if (cfa == a->word)
		return UNWIND_RECORD_CALLERS;
	/* It was just pushed, or will be popped, if it is used as one. */
	if (cfa == -at)
		return sets ? UNWIND_RECORD_CALLERS : UNWIND_RECORD_NONE;
	/* Go's tables do not follow the frame pointer. */
	return sets ? UNWIND_RECORD_UNKNOWN : UNWIND_RECORD_NONE;
}

/* The record by rules; the code of the function sets the frame pointer. */
static enum unwind_record
record_of_row(const struct arch *a, const struct cfi_row *row, bool sets)
{
	if (row->signal || row->return_column != a->pc)
		return UNWIND_RECORD_UNKNOWN;
	if (row->rules[a->fp].how == CFI_AT_CFA)
		return saved_record(a, row, sets);
	if (row->rules[a->fp].how != CFI_SAME)
		return UNWIND_RECORD_UNKNOWN;
	if (row->cfa.how == CFI_REGISTER && row->cfa_register == a->sp &&
	    row->cfa.n == a->word)
		return UNWIND_RECORD_CALLERS;
	return sets ? UNWIND_RECORD_UNKNOWN : UNWIND_RECORD_CALLERS;
}

static enum unwind_record
find_record(const struct unwind_thread *t, uint64_t address, bool exact)
{
	struct cfi_row row;
	uint64_t bias;

	switch (find_rules(t, address, &row, &bias)) {
	case SITE_RULES:
		return record_of_row(t->arch, &row, sets_fp(t, &row, bias));
	case SITE_ROOT:
		return UNWIND_RECORD_ROOT;
	case SITE_POINTER:
		return exact && is_frameless(t, address) ?
			   UNWIND_RECORD_CALLERS :
			   UNWIND_RECORD_UNKNOWN;
	case SITE_EMPTY:
	case SITE_OFFSETS:
	case SITE_UNMAPPED:
		break;
	}
	return UNWIND_RECORD_UNKNOWN;
}

enum unwind_record
unwind_record(struct unwind *u, const struct unwind_thread *thread, uint64_t pc,
	      bool exact)
{
	const struct unwind_frame frame = { .pc = pc, .exact = exact };
	struct unwind_site *s;

	if (thread->arch->sets_fp == NULL)
		return UNWIND_RECORD_UNKNOWN;
	s = find_site(u, thread, &frame);
	if (s->record1 == 0)
		s->record1 = 1 +
			     (uint8_t)find_record(thread, s->address, exact);
	return (enum unwind_record)(s->record1 - 1);
}

bool
unwind_function(const struct unwind_thread *thread, uint64_t address,
		uint64_t *start, uint64_t *end)
{
	struct cfi_row row;
	uint64_t bias;
	const enum site_kind kind = find_rules(thread, address, &row, &bias);

	if ((kind != SITE_RULES && kind != SITE_ROOT) || row.signal)
		return false;
	*start = row.start + bias;
	*end = row.end + bias;
	return true;
}

bool
unwind_link(const struct unwind_thread *thread, uint64_t *address)
{
	const struct arch *a = thread->arch;
	const struct arch_registers *r = &thread->registers;
	const uint64_t pc = r->value[a->pc];
	struct cfi_row row;
	uint64_t bias;
	enum site_kind kind;

	if (a->link == a->pc || !arch_knows(r, a->link))
		return false;
	kind = find_rules(thread, pc, &row, &bias);
	if (kind == SITE_POINTER && !is_frameless(thread, pc))
		return false;
	if (kind == SITE_RULES && (row.signal || row.return_column != a->link ||
				   row.rules[a->link].how != CFI_SAME))
		return false;
	*address = unsigned_address(a, r->value[a->link]);
	return (kind == SITE_RULES || kind == SITE_POINTER) && *address != 0;
}
