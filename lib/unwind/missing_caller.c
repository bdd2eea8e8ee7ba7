/* missing_caller.c - the caller that a chain of frame pointers lacks. */
#include "unwind/missing_caller.h"

#include "base/table.h"

#include <stdlib.h>
#include <string.h>

/* Larger functions are not searched; nor is more code than this altogether. */
enum { MAX_FUNCTION = 1 << 18, MAX_CODE = 1 << 26 };

/* A place in a file, the same in all processes. */
struct code_place {
	const struct cfi *file;
	uint64_t vaddr;
};

/* A direct call or jump out of a function. */
struct branch {
	uint64_t to, after; /* vaddr of its target, and of what follows it */
	bool is_call;
	bool is_stub; /* the target is a stub, not the start of a function */
};

struct scanned_function {
	struct code_place start;
	uint64_t end;
	struct branch *branch;
	size_t n, cap;
	UT_hash_handle hh;
};

struct answer_key {
	struct code_place leaf, next;
};

struct answer {
	struct answer_key key;
	enum missing_caller how;
	struct code_place caller;
	bool several;
	UT_hash_handle hh;
};

struct missing_callers {
	struct scanned_function *functions;
	struct answer *answers;
	size_t scanned; /* bytes of code */
};

/* A question while it is answered. */
struct search {
	struct missing_callers *m;
	const struct missing_caller_query *q;
	struct code_place leaf; /* the start of its function */
	uint64_t bias;          /* of the file of the next address */
	struct code_place caller;
	size_t callers, sites;
	bool ambiguous;
};

struct missing_callers *
missing_caller_new(void)
{
	return mem_zero(1, sizeof(struct missing_callers));
}

void
missing_caller_free(struct missing_callers *m)
{
	struct scanned_function *f, *next;
	struct answer *a, *following;

	HASH_ITER(hh, m->functions, f, next)
	{
		HASH_DEL(m->functions, f);
		free(f->branch);
		free(f);
	}
	HASH_ITER(hh, m->answers, a, following)
	{
		HASH_DEL(m->answers, a);
		free(a);
	}
	free(m);
}

static bool
find_place(const struct unwind_thread *t, uint64_t address,
	   struct code_place *place, uint64_t *bias)
{
	struct unwind_map map;

	if (!t->map(t->arg, address, &map) || map.cfi == NULL)
		return false;
	*bias = map.bias;
	*place = (struct code_place){ map.cfi, address - map.bias };
	return true;
}

/* Functions. */

static bool
is_start(const struct unwind_thread *t, uint64_t address)
{
	uint64_t start, end;

	return unwind_function(t, address, &start, &end) && start == address;
}

static bool
is_stub(const struct unwind_thread *t, uint64_t address)
{
	char code[ARCH_CODE];

	return t->read(t->arg, address, code, ARCH_CALL * 2) &&
	       t->arch->is_frameless((struct str){ code, ARCH_CALL * 2 });
}

static void
scan(struct scanned_function *f, const struct unwind_thread *t, struct str code,
     uint64_t bias)
{
	struct branch b;
	size_t at = 0;
	int64_t to;

	while (t->arch->branch(code, &at, &to, &b.is_call)) {
		if (to >= 0 && (uint64_t)to < code.len && to != 0)
			continue;
		b.to = f->start.vaddr + (uint64_t)to;
		b.after = f->start.vaddr + at;
		b.is_stub = !is_start(t, b.to + bias);
		if (b.is_stub && !is_stub(t, b.to + bias))
			continue;
		f->branch = mem_grow(f->branch, &f->cap, f->n + 1,
				     sizeof(*f->branch));
		f->branch[f->n++] = b;
	}
}

static void
read_function(struct missing_callers *m, struct scanned_function *f,
	      const struct unwind_thread *t, uint64_t bias)
{
	const uint64_t size = f->end - f->start.vaddr;
	char *code;

	if (size > MAX_FUNCTION || size > MAX_CODE - m->scanned)
		return;
	code = mem_alloc((size_t)size);
	m->scanned += (size_t)size;
	if (t->read(t->arg, f->start.vaddr + bias, code, (size_t)size))
		scan(f, t, (struct str){ code, (size_t)size }, bias);
	free(code);
}

/* The function that starts at a place, or NULL. */
static struct scanned_function *
get_function(struct search *s, uint64_t vaddr)
{
	const struct unwind_thread *t = s->q->thread;
	const struct code_place start = { s->caller.file, vaddr };
	struct missing_callers *m = s->m;
	struct scanned_function *f;
	uint64_t first, end;

	HASH_FIND(hh, m->functions, &start, sizeof(start), f);
	if (f != NULL)
		return f;
	if (!unwind_function(t, vaddr + s->bias, &first, &end) ||
	    first != vaddr + s->bias)
		return NULL;
	f = mem_zero(1, sizeof(*f));
	f->start = start;
	f->end = end - s->bias;
	read_function(m, f, t, s->bias);
	HASH_ADD(hh, m->functions, start, sizeof(start), f);
	return f;
}

/* The search. */

static bool
is_leaf(const struct search *s, uint64_t vaddr)
{
	return s->leaf.file == s->caller.file && s->leaf.vaddr == vaddr;
}

static bool
has_branch_to_leaf(const struct search *s, const struct scanned_function *f,
		   bool is_call)
{
	size_t i;

	for (i = 0; i < f->n; i++)
		if (f->branch[i].is_call == is_call &&
		    is_leaf(s, f->branch[i].to))
			return true;
	return false;
}

/* Whether what a call leads to is the leaf, or jumps there. */
static bool
leads_to_leaf(struct search *s, const struct branch *b)
{
	const struct scanned_function *f;

	if (is_leaf(s, b->to))
		return true;
	if (b->is_stub)
		return s->q->leads(s->q->arg, b->to + s->bias, s->q->leaf);
	f = get_function(s, b->to);
	return f != NULL && has_branch_to_leaf(s, f, false);
}

static enum unwind_record
record_after(const struct search *s, const struct branch *b)
{
	return unwind_record(s->q->unwind, s->q->thread, b->after + s->bias,
			     false);
}

/* Whether a function without a record calls the leaf: then it is missing too.
 */
static bool
is_between(struct search *s, const struct branch *b)
{
	const struct scanned_function *f = b->is_stub ? NULL :
							get_function(s, b->to);
	size_t i;

	for (i = 0; f != NULL && i < f->n; i++)
		if (f->branch[i].is_call && is_leaf(s, f->branch[i].to) &&
		    record_after(s, &f->branch[i]) == UNWIND_RECORD_CALLERS)
			return true;
	return false;
}

/* Count the calls of the leaf in a function that has a record. */
static void
search_function(struct search *s, const struct scanned_function *f)
{
	const size_t before = s->sites;
	enum unwind_record record;
	size_t i;

	for (i = 0; i < f->n; i++) {
		if (!f->branch[i].is_call)
			continue;
		if (!leads_to_leaf(s, &f->branch[i])) {
			s->ambiguous |= is_between(s, &f->branch[i]);
			continue;
		}
		record = record_after(s, &f->branch[i]);
		if (record != UNWIND_RECORD_OWN &&
		    record != UNWIND_RECORD_UNKNOWN)
			continue;
		if (s->sites++ == 0)
			s->caller.vaddr = f->branch[i].after;
	}
	s->callers += s->sites > before;
}

/* The function that was called, and those that it ends in a jump to. */
static enum missing_caller
search_callers(struct search *s, uint64_t called)
{
	const struct scanned_function *f = get_function(s, called), *other;
	size_t i;

	if (f == NULL)
		return MISSING_CALLER_UNKNOWN;
	search_function(s, f);
	if (is_leaf(s, called) && s->sites == 0)
		return MISSING_CALLER_NONE;
	for (i = 0; i < f->n; i++) {
		if (f->branch[i].is_call || f->branch[i].is_stub ||
		    f->branch[i].to == called)
			continue;
		other = get_function(s, f->branch[i].to);
		if (other != NULL)
			search_function(s, other);
	}
	return s->callers == 1 && !s->ambiguous ? MISSING_CALLER_FOUND :
						  MISSING_CALLER_UNKNOWN;
}

static enum missing_caller
search(struct search *s)
{
	const struct unwind_thread *t = s->q->thread;
	const uint64_t next = s->q->next;
	char code[ARCH_CALL];
	const struct str call = { code, sizeof(code) };
	uint64_t start, end, target;

	if (!t->read(t->arg, next - ARCH_CALL, code, sizeof(code)))
		return MISSING_CALLER_UNKNOWN;
	if (!t->arch->calls(call, next, &target))
		return t->arch->calls_indirectly(call) ?
			   MISSING_CALLER_UNKNOWN :
			   MISSING_CALLER_INVALID;
	if (unwind_function(t, s->q->leaf, &start, &end))
		s->leaf.vaddr -= s->q->leaf - start;
	if (is_stub(t, target) && s->q->leads(s->q->arg, target, s->q->leaf))
		return MISSING_CALLER_NONE;
	return search_callers(s, target - s->bias);
}

enum missing_caller
missing_caller_find(struct missing_callers *m,
		    const struct missing_caller_query *q, uint64_t *address,
		    bool *several)
{
	struct search s = { .m = m, .q = q };
	struct answer_key key;
	struct answer *a;
	uint64_t bias;

	if (!find_place(q->thread, q->leaf, &key.leaf, &bias) ||
	    !find_place(q->thread, q->next - 1, &key.next, &s.bias))
		return MISSING_CALLER_UNKNOWN;
	HASH_FIND(hh, m->answers, &key, sizeof(key), a);
	if (a == NULL) {
		a = mem_zero(1, sizeof(*a));
		a->key = key;
		s.leaf = key.leaf;
		s.caller.file = key.next.file;
		a->how = search(&s);
		a->caller = s.caller;
		a->several = s.sites > 1;
		HASH_ADD(hh, m->answers, key, sizeof(key), a);
	}
	*address = a->caller.vaddr + s.bias;
	*several = a->several;
	return a->how;
}
