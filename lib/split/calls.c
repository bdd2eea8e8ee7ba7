/* calls.c - tracks the function call that each thread of a stream is in. */
#include "split/calls.h"

#include "base/mem.h"

#include <stdlib.h>

struct calls_thread {
	enum { UNKNOWN, OUTSIDE, INSIDE } state;
	uint64_t last;   /* time of its last entry or return */
	uint64_t losses; /* of calls.losses when its call began */
	struct timed_call call;
};

/* What an entry is to the open call. */
enum relation { NESTED, NEXT, UNCERTAIN };

static struct calls_thread *
thread_of(struct calls *c, const struct origin *o)
{
	size_t n = o->thread + (size_t)1;

	if (n <= c->n)
		return &c->thread[o->thread];
	c->thread = mem_grow(c->thread, &c->cap, n, sizeof(*c->thread));
	for (; c->n < n; c->n++)
		c->thread[c->n] = (struct calls_thread){ .state = UNKNOWN };
	return &c->thread[o->thread];
}

/* The thread that enters or returns. */
static struct calls_thread *
advance(struct calls *c, const struct sample_line *sample)
{
	struct calls_thread *t = thread_of(c, sample->origin);

	c->out_of_order += sample->time < t->last;
	t->last = sample->time;
	return t;
}

static bool
is_truncated(struct str stack)
{
	return str_search(stack, STR(";[truncated]")) != NULL;
}

static void
begin(const struct calls *c, struct calls_thread *t,
      const struct sample_line *sample)
{
	struct timed_call *call = &t->call;

	t->state = INSIDE;
	t->losses = c->losses;
	call->begin = sample->time;
	call->pid = sample->origin->pid;
	call->tid = sample->origin->tid;
	call->depth = 1;
	call->entry_stack = sample->stack;
	call->longest_wait = 0;
	call->uncertain = is_truncated(intern_name(c->stacks, sample->stack));
	call->has_ended = false;
	stack_counts_clear(&call->counts);
	call->args.len = 0;
	buf_str(&call->args, sample->origin->args);
}

static void
end(struct calls *c, struct calls_thread *t, uint64_t now, enum call_end how)
{
	struct timed_call *call = &t->call;

	t->state = OUTSIDE;
	call->end = now < call->begin ? call->begin : now;
	c->ended(c->arg, call, how);
}

static size_t
count_frames(struct str stack)
{
	size_t i, n = 1;

	for (i = 0; i < stack.len; i++)
		n += stack.p[i] == ';';
	return n;
}

/*
 * Whether an entry is nested in the open call.  If so, its stack starts with
 * the callers of the open call and is deeper.  Else the open call was abandoned
 * or its return was lost.  Stacks without callers, or with truncated ones, do
 * not show this.
 */
static enum relation
relate(const struct calls *c, const struct timed_call *call, uint32_t stack)
{
	struct str outer = intern_name(c->stacks, call->entry_stack),
		   inner = intern_name(c->stacks, stack);
	size_t depth = count_frames(outer);

	if (c->flat)
		return NEXT;
	if (depth < 3)
		return NESTED;
	if (is_truncated(outer) || is_truncated(inner))
		return UNCERTAIN;
	while (outer.p[outer.len - 1] != ';')
		outer.len--;
	return str_starts(inner, outer) && count_frames(inner) > depth ?
		   NESTED :
		   NEXT;
}

/*
 * An uncertain entry counts as nested until a sampled stack proves that the
 * open call has ended.
 */
static bool
is_nested(const struct calls *c, struct timed_call *call, uint32_t stack)
{
	enum relation r = relate(c, call, stack);

	call->uncertain |= r == UNCERTAIN;
	return r == NESTED || (r == UNCERTAIN && !call->has_ended);
}

void
calls_enter(struct calls *c, const struct sample_line *sample)
{
	struct calls_thread *t = advance(c, sample);

	if (t->state == INSIDE && is_nested(c, &t->call, sample->stack)) {
		t->call.depth++;
		c->nested++;
		return;
	}
	if (t->state == INSIDE)
		end(c, t, sample->time, CALL_ABANDONED);
	else if (t->state == UNKNOWN)
		c->outside(c->arg, &t->call.counts);
	begin(c, t, sample);
}

static uint64_t
count_frame(struct str stack, struct str frame)
{
	uint64_t n = 0;

	while (stack.len > 0)
		n += str_eq(str_cut(&stack, ';'), frame);
	return n;
}

/* The last frame of a stack of two or more. */
static struct str
leaf_of(struct str stack)
{
	const char *p = memrchr(stack.p, ';', stack.len);

	return str_range(p + 1, stack.p + stack.len);
}

/*
 * The outermost known frames of a stack, to compare it with another one: the
 * root and, unless callers are truncated there, the next frame.
 */
static struct str
root_of(struct str stack)
{
	struct str rest = stack;

	str_cut(&rest, ';');
	if (!str_starts(rest, STR("[truncated]")))
		str_cut(&rest, ';');
	return str_range(stack.p, rest.p);
}

/*
 * In a stack with all callers, the function has one frame for the call and one
 * for each nested call.  This does not hold if the entry is inlined.
 */
void
calls_sampled(const struct calls *c, struct timed_call *call, uint32_t stack)
{
	struct str entry, seen, leaf;

	if (!call->uncertain || call->has_ended)
		return;
	entry = intern_name(c->stacks, call->entry_stack);
	seen = intern_name(c->stacks, stack);
	leaf = leaf_of(entry);
	if (!is_truncated(seen) && count_frames(seen) > 2 &&
	    str_starts(seen, root_of(entry)) && !str_ends(leaf, STR("_[i]")))
		call->has_ended = count_frame(seen, leaf) < call->depth;
}

void
calls_return(struct calls *c, const struct sample_line *sample)
{
	struct calls_thread *t = advance(c, sample);

	if (t->state == UNKNOWN)
		end(c, t, sample->time, CALL_BEFORE);
	else if (t->state == OUTSIDE)
		c->stray++;
	else if (--t->call.depth == 0)
		end(c, t, sample->time,
		    t->losses < c->losses ? CALL_LOST : CALL_RETURNED);
}

struct timed_call *
calls_of(struct calls *c, const struct origin *o)
{
	struct calls_thread *t = thread_of(c, o);

	return t->state == OUTSIDE ? NULL : &t->call;
}

bool
calls_is_inside(const struct calls *c, const struct origin *o)
{
	return o->thread < c->n && c->thread[o->thread].state == INSIDE;
}

void
calls_lost(struct calls *c)
{
	c->losses++;
}

void
calls_end(struct calls *c)
{
	struct calls_thread *t;
	size_t i;

	for (i = 0; i < c->n; i++) {
		t = &c->thread[i];
		if (t->state == INSIDE)
			end(c, t, t->call.begin, CALL_OPEN);
		else if (t->state == UNKNOWN)
			c->outside(c->arg, &t->call.counts);
		stack_counts_free(&t->call.counts);
		buf_free(&t->call.args);
	}
	c->n = 0;
}

void
calls_free(struct calls *c)
{
	calls_end(c);
	free(c->thread);
}
