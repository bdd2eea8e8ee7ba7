/* leaf_caller.c - the caller that x86 call chains lack after a leaf. */
#include "perf/leaf_caller.h"

#include "base/mem.h"
#include "unwind/missing_caller.h"
#include "unwind/unwind_record.h"

#include <stdlib.h>

/*
 * The last answer for a leaf and the address that follows it.  Most samples
 * have those of a sample before, and a table of all answers costs a fifth of
 * the time that a sample takes.
 */
struct recent_caller {
	uint64_t leaf, next, space;
	struct leaf_caller found;
	bool is_set;
};

enum { RECENT_LOG = 11 };

struct leaf_callers {
	struct resolver *resolver;
	struct missing_callers *missing;
	struct recent_caller recent[1 << RECENT_LOG];
};

struct leaf_callers *
leaf_caller_new(struct resolver *resolver)
{
	struct leaf_callers *l = mem_zero(1, sizeof(*l));

	l->resolver = resolver;
	l->missing = missing_caller_new();
	return l;
}

void
leaf_caller_free(struct leaf_callers *l)
{
	missing_caller_free(l->missing);
	free(l);
}

/* A name without what tells aliases apart: "__read@@GLIBC_2.2.5" is read. */
static struct str
plain_name(struct str name)
{
	name = str_cut(&name, '@');
	while (str_starts(name, STR("_")))
		name = str_skip(name, 1);
	/* glibc has the same code for both. */
	return str_eq(name, STR("memcpy")) ? STR("memmove") : name;
}

/*
 * Whether a stub, "read@plt", leads to a function, "__read".  A function may be
 * chosen by the CPU: "strlen@plt" leads to "__strlen_avx2".
 */
static bool
leads(void *arg, uint64_t stub, uint64_t function)
{
	struct leaf_callers *l = arg;
	const struct code *from = resolve(l->resolver, RESOLVE_USER, stub,
					  false);
	const struct code *to = resolve(l->resolver, RESOLVE_USER, function,
					false);
	struct str name, target;

	while (to->outer != NULL)
		to = to->outer;
	if (from->name.len == 0 || to->name.len == 0)
		return false;
	/* The leaf is the stub itself. */
	if (from == to)
		return true;
	name = plain_name(from->name);
	target = plain_name(to->name);
	return name.len > 0 && str_starts(target, name) &&
	       (target.len == name.len || target.p[name.len] == '_');
}

static bool
is_mapped(const struct unwind_thread *t, uint64_t address)
{
	struct unwind_map map;

	return t->map(t->arg, address - 1, &map);
}

static enum leaf_caller_how
judge(enum missing_caller how, enum unwind_record leaf, enum unwind_record next)
{
	if (how == MISSING_CALLER_NONE)
		return LEAF_CALLER_THERE;
	if (how == MISSING_CALLER_INVALID)
		return LEAF_CALLER_NO_CHAIN;
	/* By chance, the register may have its caller's value still. */
	if (leaf == UNWIND_RECORD_NONE)
		return next == UNWIND_RECORD_OWN ? LEAF_CALLER_MISSING :
						   LEAF_CALLER_NO_CHAIN;
	return how == MISSING_CALLER_FOUND ? LEAF_CALLER_REPAIRED :
					     LEAF_CALLER_MISSING;
}

static struct leaf_caller
find(struct leaf_callers *l, struct unwind *u,
     const struct unwind_thread *thread, const uint64_t *chain, size_t n)
{
	const enum unwind_record record = unwind_record(u, thread, chain[0],
							true);
	struct missing_caller_query q = { .unwind = u,
					  .thread = thread,
					  .leaf = chain[0],
					  .leads = leads,
					  .arg = l };
	struct leaf_caller found = { LEAF_CALLER_THERE, 0, false };
	enum missing_caller how;

	if (record != UNWIND_RECORD_CALLERS && record != UNWIND_RECORD_NONE)
		return found;
	found.how = LEAF_CALLER_NO_CHAIN;
	if (n < 2 || !is_mapped(thread, chain[1]))
		return found;
	q.next = chain[1];
	how = missing_caller_find(l->missing, &q, &found.address,
				  &found.several);
	found.how = judge(how, record,
			  unwind_record(u, thread, chain[1], false));
	return found;
}

struct leaf_caller
leaf_caller_find(struct leaf_callers *l, struct unwind *u,
		 const struct unwind_thread *thread, const uint64_t *chain,
		 size_t n)
{
	const uint64_t leaf = chain[0], next = n < 2 ? 0 : chain[1];
	const uint64_t mixed = (leaf ^ next * UINT64_C(0x9e3779b97f4a7c15)) *
			       UINT64_C(0xd6e8feb86659fd93);
	struct recent_caller *c = &l->recent[mixed >> (64 - RECENT_LOG)];

	if (!c->is_set || c->leaf != leaf || c->next != next ||
	    c->space != thread->space)
		*c = (struct recent_caller){ leaf, next, thread->space,
					     find(l, u, thread, chain, n),
					     true };
	return c->found;
}
