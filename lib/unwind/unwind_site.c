/* unwind_site.c - how to step from an address, worked out for the cache. */
#include "unwind/unwind_site.h"

#include "unwind/guessed_row.h"
#include "unwind/unwind_rules.h"

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

/* Whether the code at an address is in a file, which has no rules for it. */
static bool
lacks_rules(const struct unwind_thread *t, uint64_t address)
{
	struct unwind_map map;

	return t->arch->find_return != NULL && t->map(t->arg, address, &map) &&
	       map.cfi != NULL && map.like == 0;
}

struct unwind_site *
unwind_site_fill(const struct unwind_thread *t, uint64_t address,
		 const struct unwind_frame *frame, struct unwind_site *s)
{
	struct cfi_row row;
	uint64_t bias;
	enum site_kind kind = unwind_rules_find(t, address, &row, &bias);

	s->address = address;
	s->space = t->space;
	if (kind == SITE_RULES && compile(t->arch, &row, s))
		kind = SITE_OFFSETS;
	if (kind == SITE_POINTER && lacks_rules(t, address) &&
	    !unwind_rules_after_clone(t, address, &row, &bias))
		kind = guessed_row_find(t, frame->pc, &row) &&
			       compile(t->arch, &row, s) ?
			   SITE_GUESSED :
			   SITE_SEARCH;
	s->kind = (uint8_t)kind;
	return s;
}
