/* uretprobe.c - callers of functions whose return is probed. */
#include "perf/uretprobe.h"

#include "base/table.h"

/* A function that a thread entered, and that may not have returned yet. */
struct probed_call {
	uint64_t sp; /* after its return */
	const struct code *function;
	struct callstack_frame *caller; /* up to the next trampoline */
	size_t n;
	size_t outer1;  /* index + 1 of the call behind that one, or 0 */
	bool truncated; /* callers beyond these are not known */
	bool returned;  /* a probe of its return was hit */
};

struct probed_thread {
	int64_t tid;
	struct probed_call *call; /* innermost, with the lowest sp, last */
	size_t n, cap;
	UT_hash_handle hh;
};

struct uretprobes {
	struct probed_thread *threads;
	bool *has_return; /* a probe of its return was seen; by code number */
	size_t has_return_cap;
};

struct uretprobes *
uretprobe_new(void)
{
	return mem_zero(1, sizeof(struct uretprobes));
}

static void
free_thread(struct uretprobes *u, struct probed_thread *t)
{
	HASH_DEL(u->threads, t);
	while (t->n > 0)
		free(t->call[--t->n].caller);
	free(t->call);
	free(t);
}

void
uretprobe_free(struct uretprobes *u)
{
	while (u->threads != NULL)
		free_thread(u, u->threads);
	free(u->has_return);
	free(u);
}

void
uretprobe_end(struct uretprobes *u, int64_t tid)
{
	struct probed_thread *t;

	HASH_FIND(hh, u->threads, &tid, sizeof(tid), t);
	if (t != NULL)
		free_thread(u, t);
}

static struct probed_thread *
get_thread(struct uretprobes *u, int64_t tid)
{
	struct probed_thread *t;

	HASH_FIND(hh, u->threads, &tid, sizeof(tid), t);
	if (t == NULL) {
		t = mem_zero(1, sizeof(*t));
		t->tid = tid;
		HASH_ADD(hh, u->threads, tid, sizeof(tid), t);
	}
	return t;
}

/* The function that code is inlined into, over any number of levels. */
static const struct code *
outermost(const struct code *code)
{
	while (code->outer != NULL)
		code = code->outer;
	return code;
}

/* The code may be of different lines. */
static bool
is_same_function(const struct code *a, const struct code *b)
{
	return str_eq(a->name, b->name) && str_eq(a->module, b->module);
}

/*
 * Whether callee returns in place of a function that was entered: it is that
 * function, or one that the function jumped to at its end.  The second holds
 * only if the function's returns are probed and it has not returned.
 */
static bool
returns_for(const struct uretprobes *u, const struct probed_call *call,
	    const struct code *callee)
{
	if (is_same_function(call->function, outermost(callee)))
		return true;
	return call->function->number < u->has_return_cap &&
	       u->has_return[call->function->number] && !call->returned;
}

/*
 * Index + 1 of the call that returns to the trampoline at sp, or 0.  A NULL
 * callee says that it returns now.
 */
static size_t
find_call(const struct uretprobes *u, const struct probed_thread *t,
	  uint64_t sp, const struct code *callee)
{
	size_t i = t->n;

	while (i > 0 && t->call[i - 1].sp < sp)
		i--;
	if (i == 0 || t->call[i - 1].sp != sp)
		return 0;
	return callee == NULL || returns_for(u, &t->call[i - 1], callee) ? i :
									   0;
}

void
uretprobe_enter(struct uretprobes *u, int64_t tid, uint64_t sp,
		const struct uretprobe_stack *stack)
{
	struct probed_thread *t = get_thread(u, tid);
	struct probed_call *call;
	const struct code *code = stack->frame[0].code;
	size_t first = 1, callers;

	/* A second probe at the same entry: the call is known. */
	if (stack->probed && stack->sp == sp)
		return;
	for (; code->outer != NULL; code = code->outer)
		first++;
	callers = stack->n - first;
	/* Calls at this place of the stack, or deeper, have returned. */
	while (t->n > 0 && t->call[t->n - 1].sp <= sp)
		free(t->call[--t->n].caller);
	t->call = mem_grow(t->call, &t->cap, t->n + 1, sizeof(*t->call));
	call = &t->call[t->n];
	*call = (struct probed_call){ .sp = sp,
				      .function = code,
				      .n = callers,
				      .truncated = stack->truncated };
	call->caller = mem_alloc((callers + 1) * sizeof(*call->caller));
	memcpy(call->caller, stack->frame + first,
	       callers * sizeof(*call->caller));
	if (stack->probed) {
		call->outer1 = find_call(u, t, stack->sp,
					 stack->frame[stack->n - 1].code);
		call->truncated = call->outer1 == 0;
	}
	t->n++;
}

void
uretprobe_leave(struct uretprobes *u, int64_t tid, uint64_t sp)
{
	const struct probed_thread *t = get_thread(u, tid);
	const size_t i = find_call(u, t, sp, NULL), old = u->has_return_cap;
	uint32_t function;

	if (i == 0)
		return;
	t->call[i - 1].returned = true;
	function = t->call[i - 1].function->number;
	if (function >= old) {
		u->has_return = mem_grow(u->has_return, &u->has_return_cap,
					 (size_t)function + 1,
					 sizeof(*u->has_return));
		memset(u->has_return + old, 0,
		       (u->has_return_cap - old) * sizeof(*u->has_return));
	}
	u->has_return[function] = true;
}

void
uretprobe_append(struct uretprobes *u, int64_t tid, uint64_t sp,
		 const struct code *callee, struct callstack *stack)
{
	const struct probed_thread *t = get_thread(u, tid);
	size_t i = find_call(u, t, sp, callee);
	const struct probed_call *call;

	if (i == 0)
		stack->truncated = true;
	for (; i > 0; i = call->outer1) {
		call = &t->call[i - 1];
		stack->frame = mem_grow(stack->frame, &stack->cap,
					stack->n + call->n + 1,
					sizeof(*stack->frame));
		if (call->n > 0)
			memcpy(stack->frame + stack->n, call->caller,
			       call->n * sizeof(*call->caller));
		stack->n += call->n;
		stack->truncated |= call->truncated;
	}
}
