/* unwind_row.c - a step to the caller by the rules of a row. */
#include "unwind/unwind_row.h"

#include "unwind/cfiexpr.h"
#include "unwind/unwind_memory.h"

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
		.read = unwind_memory_read,
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
	if (unwind_memory_load(s->t, address, n))
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
		       unwind_was_popped(a, at, s->r->value[a->sp]);
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

enum unwind_step
unwind_row_apply(const struct unwind_thread *t, const struct cfi_row *row,
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
		return s.missing != 0 ? unwind_memory_missing(t, s.missing) :
					STEP_LOST;
	if (!row->signal && s.next.value[a->sp] <= sp &&
	    !(exact && s.next.value[a->sp] == sp && pc != r->value[a->pc]))
		return STEP_LOST;
	if (row->signed_return)
		pc = unwind_unsigned_address(a, pc);
	/* A signal's row has the interrupted pc in a column of its own. */
	arch_set(&s.next, a->pc, pc);
	*r = s.next;
	/* The signal may be that of a call to 0. */
	return pc == 0 && !row->signal ? STEP_COMPLETE : STEP_CALLER;
}
