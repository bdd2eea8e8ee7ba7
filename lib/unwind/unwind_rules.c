/* unwind_rules.c - the rules of an address. */
#include "unwind/unwind_rules.h"

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

enum site_kind
unwind_rules_mapped(const struct unwind_thread *t, const struct unwind_map *map,
		    uint64_t address, struct cfi_row *row)
{
	if (map->like != 0)
		return cfi_find(map->cfi, map->like - map->bias, row) ?
			   SITE_RULES :
			   SITE_POINTER;
	/*
	 * The address is the byte before a return address.  If the code that
	 * returns from a signal has no rules, that byte belongs to another
	 * function, which ends there.
	 */
	if (map->cfi != NULL && cfi_find(map->cfi, address - map->bias, row) &&
	    row->end != address - map->bias + 1) {
		if (is_bare_signal(row) && !find_signal(t, address, row))
			find_signal(t, address + 1, row);
		return kind_of(row);
	}
	if (find_signal(t, address + 1, row))
		return SITE_RULES;
	if (map->cfi != NULL && cfi_find(map->cfi, address - map->bias, row))
		return kind_of(row);
	return SITE_POINTER;
}

enum site_kind
unwind_rules_find(const struct unwind_thread *t, uint64_t address,
		  struct cfi_row *row, uint64_t *bias)
{
	struct unwind_map map = { 0 };

	*bias = 0;
	if (!t->map(t->arg, address, &map))
		return SITE_UNMAPPED;
	*bias = map.bias;
	if (map.ends)
		return SITE_ROOT;
	return unwind_rules_mapped(t, &map, address, row);
}

bool
unwind_rules_after_clone(const struct unwind_thread *t, uint64_t address,
			 struct cfi_row *before, uint64_t *bias)
{
	const uint64_t most = 16; /* the call, a comparison, two jumps */
	struct unwind_map map = { 0 };
	struct cfi_row after;
	uint64_t i = 1, back = 1;

	if (!t->map(t->arg, address, &map) || map.cfi == NULL || map.ends ||
	    map.like != 0)
		return false;
	*bias = map.bias;
	address -= map.bias;
	while (i < most && !cfi_find(map.cfi, address + i, &after))
		i++;
	if (i == most || kind_of(&after) != SITE_ROOT)
		return false;
	while (back < most && !cfi_find(map.cfi, address - back, before))
		back++;
	return back < most && kind_of(before) == SITE_RULES;
}
