/* unwind.c - the call stack of a thread, from registers and stack memory. */
#include "unwind/unwind.h"

#include "base/mem.h"
#include "unwind/guessed_row.h"
#include "unwind/unwind-internal.h"
#include "unwind/unwind_memory.h"
#include "unwind/unwind_row.h"
#include "unwind/unwind_rules.h"
#include "unwind/unwind_site.h"
#include "unwind/unwind_tableless.h"

#include <stdlib.h>

struct unwind *
unwind_new(void)
{
	struct unwind *u = mem_zero(1, sizeof(*u));

	u->sites = mem_map(SITES * sizeof(struct unwind_site));
	u->records = mem_map(FACTS * sizeof(struct place_fact));
	u->setters = u->records + ((size_t)1 << RECORDS_LOG);
	return u;
}

void
unwind_free(struct unwind *u)
{
	if (u == NULL)
		return;
	mem_unmap(u->sites, SITES * sizeof(struct unwind_site));
	mem_unmap(u->records, FACTS * sizeof(struct place_fact));
	free(u);
}

bool
unwind_read(const struct unwind_thread *thread, uint64_t address, void *to,
	    size_t n)
{
	return unwind_memory_read((void *)(uintptr_t)thread, address, to, n);
}

/* The cache. */

static struct unwind_site *
slot_of(const struct unwind *u, uint64_t address, uint64_t space)
{
	return &u->sites[unwind_mix(address, space) >> (64 - SITES_LOG)];
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
	return unwind_site_fill(t, address, frame, s);
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
	if (!unwind_memory_load(t, cfa + (uint64_t)s->pc, &pc))
		return unwind_memory_missing(t, cfa + (uint64_t)s->pc);
	for (i = 0; i < s->saved; i++) {
		number = s->saved_register[i];
		at = cfa + (uint64_t)s->saved_at[i];
		if (unwind_memory_load(t, at, &r->value[number]))
			r->known |= UINT64_C(1) << number;
		else if (!unwind_was_popped(a, at, sp))
			r->known &= ~(UINT64_C(1) << number);
	}
	arch_set(r, a->sp, cfa);
	arch_set(r, a->pc, pc);
	return pc == 0 ? STEP_COMPLETE : STEP_CALLER;
}

/* Other steps. */

/* A step by rules that a site has no room for. */
static enum unwind_step
step_by_rules(const struct unwind_thread *t, uint64_t address,
	      struct unwind_frame *frame, struct arch_registers *r,
	      bool *interrupted)
{
	struct cfi_row row;
	uint64_t bias;

	if (unwind_rules_find(t, address, &row, &bias) != SITE_RULES)
		return STEP_LOST;
	/* Nothing called the code that returns from a signal. */
	*interrupted = row.signal;
	frame->exact |= row.signal;
	return unwind_row_apply(t, &row, bias, frame->exact, r);
}

/*
 * Step from where clone(2) returns to.  The result is 0 in the new thread.  If
 * the result is unknown, the new thread is the one without a return address.
 */
static enum unwind_step
step_from_clone(const struct unwind_thread *t, const struct cfi_row *before,
		uint64_t bias, struct arch_registers *r)
{
	const uint8_t result = arch_result(t->arch);
	const bool known = arch_knows(r, result);
	struct unwind_map map = { 0 };
	enum unwind_step how;

	if (known && r->value[result] == 0)
		return STEP_COMPLETE;
	how = unwind_row_apply(t, before, bias, true, r);
	return known || (how == STEP_CALLER &&
			 t->map(t->arg, r->value[t->arch->pc] - 1, &map)) ?
		   how :
		   STEP_COMPLETE;
}

/* Whether a program has not executed anything yet: its registers are 0. */
static bool
is_new_program(const struct arch *a, const struct arch_registers *r)
{
	uint8_t i;

	for (i = 0; i < ARCH_REGISTERS; i++) {
		if (i != a->sp && i != a->pc && arch_knows(r, i) &&
		    r->value[i] != 0)
			return false;
	}
	return arch_knows(r, a->fp) && arch_knows(r, arch_result(a));
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
	    unwind_rules_find(t, s->address, &row, &bias) == SITE_RULES)
		unwind_tableless_find_pointer(t, &row, bias, r);
}

static enum unwind_step
step_without_rules(const struct unwind_thread *t, const struct unwind_site *s,
		   const struct unwind_frame *frame, struct arch_registers *r)
{
	struct cfi_row before;
	uint64_t bias;

	if (frame->exact &&
	    unwind_rules_after_clone(t, s->address, &before, &bias))
		return step_from_clone(t, &before, bias, r);
	if (frame->exact && is_new_program(t->arch, r))
		return STEP_COMPLETE;
	if (frame->exact && unwind_tableless_is_frameless(t, s->address))
		return unwind_tableless_to_caller(t, r);
	/* The function may not have set it: 0 is a caller's then. */
	if (frame->exact && r->value[t->arch->fp] == 0)
		return STEP_LOST;
	return unwind_tableless_by_pointer(t, frame->exact, r);
}

/*
 * Follow the frame pointer, as code of virtual machines has one; if what it
 * leads to is no caller, search the stack for one.  A function that returns by
 * the stack pointer may have a caller's frame pointer, or a 0 of the first one.
 */
static enum unwind_step
step_by_search(const struct unwind_thread *t, const struct unwind_site *s,
	       struct unwind_frame *frame, struct arch_registers *r)
{
	const bool by_sp = s->kind == SITE_GUESSED &&
			   s->cfa_register == t->arch->sp;
	struct arch_registers next = *r;
	const enum unwind_step how = step_without_rules(t, s, frame, &next);

	if (how != STEP_CALLER ||
	    !guessed_row_is_caller(t, next.value[t->arch->pc], frame->pc, -1))
		frame->guessed = guessed_row_search(t, r);
	if (frame->guessed)
		return STEP_CALLER;
	*r = next;
	return how == STEP_COMPLETE && by_sp ? STEP_LOST : how;
}

/* Whether the frame pointer leads to the same place. */
static bool
pointer_agrees(const struct unwind_thread *t, const struct unwind_frame *frame,
	       struct arch_registers r, const struct arch_registers *next)
{
	const struct arch *a = t->arch;

	return unwind_tableless_by_pointer(t, frame->exact, &r) ==
		   STEP_CALLER &&
	       r.value[a->pc] == next->value[a->pc] &&
	       r.value[a->sp] == next->value[a->sp];
}

/* A step by rules that may be wrong: they must lead to a caller. */
static enum unwind_step
step_by_guess(const struct unwind_thread *t, const struct unwind_site *s,
	      struct unwind_frame *frame, struct arch_registers *r)
{
	const bool by_sp = s->cfa_register == t->arch->sp;
	struct arch_registers next = *r;
	const enum unwind_step how = step_by_offsets(s, t, &next);

	if (how == STEP_TRUNCATED || how == STEP_CUT)
		return how;
	if (how != STEP_CALLER ||
	    !guessed_row_is_caller(t, next.value[t->arch->pc], frame->pc,
				   by_sp ? s->cfa + s->pc : -1))
		return step_by_search(t, s, frame, r);
	/* By the frame pointer, it is no guess. */
	frame->guessed = by_sp && !pointer_agrees(t, frame, *r, &next);
	*r = next;
	return how;
}

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
	case SITE_GUESSED:
		return step_by_guess(t, s, frame, r);
	case SITE_SEARCH:
		return step_by_search(t, s, frame, r);
	case SITE_POINTER:
		return step_without_rules(t, s, frame, r);
	case SITE_ROOT:
		return STEP_COMPLETE;
	}
	/* A call through a bad pointer. */
	return frame->exact ? unwind_tableless_to_caller(t, r) : STEP_LOST;
}

/* Stacks. */

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

/*
 * Step from a frame of a virtual machine; false if it is none.  *hidden: the
 * frame is not to be shown.
 */
static bool
step_vm(const struct unwind_thread *t, struct unwind_frame *frame,
	struct arch_registers *r, enum unwind_step *how, bool *hidden)
{
	struct unwind_vm_frame f = { t, frame, r, 0 };
	enum unwind_vm result;

	*hidden = false;
	if (t->step_vm == NULL)
		return false;
	result = t->step_vm(t->arg, &f);
	switch (result) {
	case UNWIND_VM_OTHER:
		return false;
	case UNWIND_VM_CALLER:
	case UNWIND_VM_HIDDEN:
		*hidden = result == UNWIND_VM_HIDDEN;
		/*
		 * So that stacks have an end.  Code between two methods may
		 * have given its frame up already.
		 */
		*how = r->value[t->arch->sp] + *hidden > frame->sp ?
			   STEP_CALLER :
			   STEP_LOST;
		break;
	case UNWIND_VM_LOST:
		*how = STEP_LOST;
		break;
	case UNWIND_VM_MISSING:
		*how = unwind_memory_missing(t, f.missing);
		break;
	}
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
	bool exact = true, hidden;
	size_t n, steps;

	*end = UNWIND_FULL;
	for (n = steps = 0; n < max && steps < max; steps++) {
		frames[n++] = (struct unwind_frame){ .pc = r.value[pc],
						     .exact = exact,
						     .knows_fp = arch_knows(&r,
									    fp),
						     .sp = r.value[sp],
						     .fp = r.value[fp] };
		if (is_probes(thread, r.value[pc], end))
			break;
		if (step_vm(thread, &frames[n - 1], &r, &how, &hidden)) {
			n -= hidden;
			exact = false;
			if (how == STEP_CALLER)
				continue;
			*end = end_of(how);
			break;
		}
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

bool
unwind_function(const struct unwind_thread *thread, uint64_t address,
		uint64_t *start, uint64_t *end)
{
	struct cfi_row row;
	uint64_t bias;
	const enum site_kind kind = unwind_rules_find(thread, address, &row,
						      &bias);

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
	kind = unwind_rules_find(thread, pc, &row, &bias);
	if (kind == SITE_POINTER && !unwind_tableless_is_frameless(thread, pc))
		return false;
	if (kind == SITE_RULES && (row.signal || row.return_column != a->link ||
				   row.rules[a->link].how != CFI_SAME))
		return false;
	*address = unwind_unsigned_address(a, r->value[a->link]);
	return (kind == SITE_RULES || kind == SITE_POINTER) && *address != 0;
}
