/* unwind_tableless.c - steps without unwind tables. */
#include "unwind/unwind_tableless.h"

#include "unwind/unwind_memory.h"

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
	       unwind_memory_load(t, fp + (uint64_t)a->frame.pc, caller_fp) &&
	       *caller_fp > fp && *caller_fp % a->word == 0 &&
	       !t->map(t->arg, *caller_fp - 1, &map);
}

enum unwind_step
unwind_tableless_by_pointer(const struct unwind_thread *t, bool exact,
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
	else if (!unwind_memory_load(t, fp + (uint64_t)a->frame.fp,
				     &caller_fp) ||
		 !unwind_memory_load(t, pc_at, &pc))
		return unwind_memory_missing(t, pc_at);
	/* Other registers that callees save may have been saved anywhere. */
	arch_set(r, a->fp, caller_fp);
	arch_set(r, a->sp, fp + a->frame.cfa);
	pc = unwind_unsigned_address(a, pc);
	arch_set(r, a->pc, pc);
	return pc == 0 ? STEP_COMPLETE : STEP_CALLER;
}

bool
unwind_tableless_is_frameless(const struct unwind_thread *t, uint64_t address)
{
	char code[ARCH_CODE];
	const size_t n = unwind_memory_code(t, address, code, sizeof(code));

	return t->arch->is_frameless((struct str){ code, n });
}

enum unwind_step
unwind_tableless_to_caller(const struct unwind_thread *t,
			   struct arch_registers *r)
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
		if (!unwind_memory_load(t, sp, &pc))
			return unwind_memory_missing(t, sp);
		arch_set(r, a->sp, sp + a->word);
	}
	arch_set(r, a->pc, pc);
	return STEP_CALLER;
}

/* Frame pointers that are unknown, of threads that were not stopped. */

/* Whether a function begins at an address, or a jump to one of a library. */
static bool
leads_to(const struct unwind_thread *t, uint64_t address, uint64_t function)
{
	return address == function || unwind_tableless_is_frameless(t, address);
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
	    !unwind_memory_read((void *)(uintptr_t)t, address - sizeof(code),
				code, sizeof(code)))
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

bool
unwind_tableless_find_pointer(const struct unwind_thread *t,
			      const struct cfi_row *row, uint64_t bias,
			      struct arch_registers *r)
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
	n = unwind_memory_code(t, begin, code, sizeof(code));
	if (n > pc - begin)
		n = pc - begin;
	cfa += a->stack_room((struct str){ code, n });
	if (!unwind_memory_load(t, cfa - a->word, &caller) ||
	    !is_called_from(t, begin, caller))
		return false;
	arch_set(r, a->fp, cfa - a->frame.cfa);
	return true;
}
