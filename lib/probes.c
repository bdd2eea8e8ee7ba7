/* probes.c - the callers of functions whose return is probed. */
#include "probes.h"

#include "intern.h"
#include "mem.h"

#include <stdlib.h>

/* A function that was entered, and may not have returned. */
struct entry {
	uint64_t sp; /* when it will have returned */
	const struct code *function;
	struct profile_frame *caller; /* up to the next trampoline */
	size_t n;
	size_t behind1; /* the entry behind that, by its place plus 1, or 0 */
	bool truncated;
	bool returned; /* as a probe of its return saw */
};

/* The entries of a thread, innermost last: each deeper in the stack. */
struct thread {
	struct entry *entry;
	size_t n, cap;
};

struct probes {
	struct intern *ids; /* of threads */
	struct thread *thread;
	size_t cap;
	bool *returns; /* of functions, by number: probes see them */
	size_t returns_cap;
};

struct probes *
probes_new(void)
{
	struct probes *p = mem_zero(1, sizeof(*p));

	p->ids = intern_new();
	return p;
}

void
probes_free(struct probes *p)
{
	struct thread *t;
	uint32_t i;
	size_t k;

	for (i = 0; i < intern_size(p->ids); i++) {
		t = &p->thread[i];
		for (k = 0; k < t->n; k++)
			free(t->entry[k].caller);
		free(t->entry);
	}
	free(p->thread);
	free(p->returns);
	intern_free(p->ids);
	free(p);
}

static struct thread *
get(struct probes *p, int64_t tid)
{
	struct str key = { (const char *)&tid, sizeof(tid) };
	uint32_t n = intern_size(p->ids), i = intern_id(p->ids, key);

	if (i == n) {
		p->thread = mem_grow(p->thread, &p->cap, (size_t)n + 1,
				     sizeof(*p->thread));
		p->thread[i] = (struct thread){ 0 };
	}
	return &p->thread[i];
}

/* The function that code was inlined into, perhaps in several steps. */
static const struct code *
function_of(const struct code *code)
{
	while (code->outer != NULL)
		code = code->outer;
	return code;
}

/* The same, though perhaps of another line. */
static bool
is_same(const struct code *a, const struct code *b)
{
	return str_eq(a->name, b->name) && str_eq(a->module, b->module);
}

/*
 * Whether what was called returns for a function that was entered: it is that
 * function, or one that it jumped to as the last thing it did, if it is known
 * that it has not returned itself.
 */
static bool
is_within(const struct probes *p, const struct entry *e,
	  const struct code *callee)
{
	if (is_same(e->function, function_of(callee)))
		return true;
	return e->function->number < p->returns_cap &&
	       p->returns[e->function->number] && !e->returned;
}

/*
 * The entry that returns to a trampoline there, by its place plus 1; callee
 * is NULL if it does so now.
 */
static size_t
find(const struct probes *p, const struct thread *t, uint64_t sp,
     const struct code *callee)
{
	size_t i = t->n;

	while (i > 0 && t->entry[i - 1].sp < sp)
		i--;
	if (i == 0 || t->entry[i - 1].sp != sp)
		return 0;
	return callee == NULL || is_within(p, &t->entry[i - 1], callee) ? i : 0;
}

void
probes_enter(struct probes *p, int64_t tid, uint64_t sp,
	     const struct probes_stack *stack)
{
	struct thread *t = get(p, tid);
	struct entry *e;
	const struct code *code = stack->frame[0].code;
	size_t first = 1, callers;

	/* Seen again, by another probe, it is not entered again. */
	if (stack->probed && stack->sp == sp)
		return;
	for (; code->outer != NULL; code = code->outer)
		first++;
	callers = stack->n - first;
	/* What lies at the same place, or deeper, has returned. */
	while (t->n > 0 && t->entry[t->n - 1].sp <= sp)
		free(t->entry[--t->n].caller);
	t->entry = mem_grow(t->entry, &t->cap, t->n + 1, sizeof(*t->entry));
	e = &t->entry[t->n];
	*e = (struct entry){ .sp = sp,
			     .function = code,
			     .n = callers,
			     .truncated = stack->truncated };
	e->caller = mem_alloc((callers + 1) * sizeof(*e->caller));
	memcpy(e->caller, stack->frame + first, callers * sizeof(*e->caller));
	if (stack->probed) {
		e->behind1 = find(p, t, stack->sp,
				  stack->frame[stack->n - 1].code);
		e->truncated = e->behind1 == 0;
	}
	t->n++;
}

void
probes_leave(struct probes *p, int64_t tid, uint64_t sp)
{
	const struct thread *t = get(p, tid);
	const size_t i = find(p, t, sp, NULL), old = p->returns_cap;
	uint32_t function;

	if (i == 0)
		return;
	t->entry[i - 1].returned = true;
	function = t->entry[i - 1].function->number;
	if (function >= old) {
		p->returns = mem_grow(p->returns, &p->returns_cap,
				      (size_t)function + 1,
				      sizeof(*p->returns));
		memset(p->returns + old, 0,
		       (p->returns_cap - old) * sizeof(*p->returns));
	}
	p->returns[function] = true;
}

void
probes_append(struct probes *p, int64_t tid, uint64_t sp,
	      const struct code *callee, struct callstack *stack)
{
	const struct thread *t = get(p, tid);
	size_t i = find(p, t, sp, callee);
	const struct entry *e;

	if (i == 0)
		stack->truncated = true;
	for (; i > 0; i = e->behind1) {
		e = &t->entry[i - 1];
		stack->frame = mem_grow(stack->frame, &stack->cap,
					stack->n + e->n + 1,
					sizeof(*stack->frame));
		if (e->n > 0)
			memcpy(stack->frame + stack->n, e->caller,
			       e->n * sizeof(*e->caller));
		stack->n += e->n;
		stack->truncated |= e->truncated;
	}
}
