/* guessed_row.c - callers of code without unwind tables, from instructions. */
#include "unwind/guessed_row.h"

/* Read as much code as there is: the end of a mapping may be near. */
static size_t
read_code(void *arg, uint64_t address, char *to, size_t n)
{
	const struct unwind_thread *t = arg;

	for (; n > 0; n /= 2)
		if (t->read(t->arg, address, to, n))
			return n;
	return 0;
}

bool
guessed_row_find(const struct unwind_thread *t, uint64_t pc,
		 struct cfi_row *row)
{
	const struct arch *a = t->arch;
	const struct arch_code_reader code = { read_code,
					       (void *)(uintptr_t)t };
	struct arch_return r;
	int64_t cfa;
	size_t i;

	if (a->find_return == NULL || t->read == NULL ||
	    !a->find_return(&code, pc, &r))
		return false;
	cfa = r.pc_at + a->word;
	memset(row, 0, sizeof(*row));
	row->cfa.how = CFI_REGISTER;
	row->cfa.n = cfa;
	row->cfa_register = r.by_fp ? a->fp : a->sp;
	row->return_column = a->pc;
	row->rules[a->pc] = (struct cfi_rule){ .how = CFI_AT_CFA,
					       .n = -(int64_t)a->word };
	for (i = 0; i < ARCH_REGISTERS; i++)
		if (r.saved >> i & 1)
			row->rules[i] = (struct cfi_rule){
				.how = CFI_AT_CFA, .n = r.saved_at[i] - cfa
			};
	return true;
}

/*
 * Whether a call ends at an address, and its target; 0 if that is unknown: of
 * an indirect call, or where it calls a jump through a table.
 */
static bool
is_call(const struct unwind_thread *t, uint64_t address, uint64_t *target)
{
	char code[ARCH_CALL], jump[ARCH_CODE];
	const struct str whole = { code, sizeof(code) };
	struct unwind_map map;

	*target = 0;
	if (!t->map(t->arg, address - 1, &map) ||
	    !t->read(t->arg, address - sizeof(code), code, sizeof(code)))
		return false;
	if (!t->arch->calls(whole, address, target))
		return t->arch->calls_indirectly(whole);
	if (!t->map(t->arg, *target, &map))
		return false;
	if (t->read(t->arg, *target, jump, sizeof(jump)) &&
	    t->arch->is_frameless((struct str){ jump, sizeof(jump) }))
		*target = 0;
	return true;
}

/* Whether a function has put depth bytes on the stack at a pc. */
static enum arch_reach
reaches(const struct unwind_thread *t, uint64_t function, uint64_t pc,
	int64_t depth)
{
	const struct arch_code_reader code = { read_code,
					       (void *)(uintptr_t)t };
	int64_t found;
	const enum arch_reach reach = t->arch->reaches(&code, function, pc,
						       &found);

	return reach == ARCH_REACH_YES && depth >= 0 && found >= 0 &&
		       found != depth ?
		   ARCH_REACH_NO :
		   reach;
}

bool
guessed_row_is_caller(const struct unwind_thread *t, uint64_t address,
		      uint64_t pc, int64_t depth)
{
	uint64_t function;

	return is_call(t, address, &function) &&
	       (function == 0 ||
		reaches(t, function, pc, depth) != ARCH_REACH_NO);
}

bool
guessed_row_search(const struct unwind_thread *t, struct arch_registers *r)
{
	const struct arch *a = t->arch;
	const uint64_t farthest = 16384;
	uint64_t at, sp = r->value[a->sp], word, function;
	int tries = 64; /* each may follow much code, which may be hostile */

	if (a->reaches == NULL || t->read == NULL || a->word != sizeof(word) ||
	    !arch_knows(r, a->sp))
		return false;
	for (at = sp; tries > 0 && at - sp < farthest; at += sizeof(word)) {
		if (at - t->stack_start >= t->stack.len ||
		    !unwind_read(t, at, &word, sizeof(word)))
			return false;
		if (!is_call(t, word, &function) || function == 0)
			continue;
		tries--;
		if (reaches(t, function, r->value[a->pc], (int64_t)(at - sp)) !=
		    ARCH_REACH_YES)
			continue;
		r->known = 0;
		arch_set(r, a->sp, at + sizeof(word));
		arch_set(r, a->pc, word);
		return true;
	}
	return false;
}
