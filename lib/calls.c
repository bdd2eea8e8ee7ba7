/* calls.c - the calls that the threads of a stream are in. */
#include "calls.h"

#include "mem.h"

#include <stdlib.h>

struct calls_thread {
	enum { UNKNOWN, OUTSIDE, INSIDE } place;
	uint64_t last;   /* time of its last entry or return */
	uint64_t losses; /* that there were before its call */
	struct call call;
};

/* An entry, to the call that is open. */
enum relation { WITHIN, BEHIND, UNCERTAIN };

static struct calls_thread *
thread_of(struct calls *c, const struct origin *o)
{
	size_t n = o->thread + (size_t)1;

	if (n <= c->n)
		return &c->thread[o->thread];
	c->thread = mem_grow(c->thread, &c->cap, n, sizeof(*c->thread));
	for (; c->n < n; c->n++)
		c->thread[c->n] = (struct calls_thread){ .place = UNKNOWN };
	return &c->thread[o->thread];
}

/* The thread that enters or returns. */
static struct calls_thread *
step(struct calls *c, const struct sample_line *s)
{
	struct calls_thread *t = thread_of(c, s->origin);

	c->disorder += s->time < t->last;
	t->last = s->time;
	return t;
}

static bool
is_truncated(struct str stack)
{
	return str_search(stack, STR(";[truncated]")) != NULL;
}

static void
begin(const struct calls *c, struct calls_thread *t,
      const struct sample_line *s)
{
	struct call *call = &t->call;

	t->place = INSIDE;
	t->losses = c->losses;
	call->begin = s->time;
	call->pid = s->origin->pid;
	call->tid = s->origin->tid;
	call->depth = 1;
	call->stack = s->stack;
	call->waited = 0;
	call->doubted = is_truncated(intern_name(c->stacks, s->stack));
	call->over = false;
	cells_clear(&call->cells);
	call->args.len = 0;
	buf_str(&call->args, s->origin->args);
}

static void
end(struct calls *c, struct calls_thread *t, uint64_t now, enum call_end how)
{
	struct call *call = &t->call;

	t->place = OUTSIDE;
	call->end = now < call->begin ? call->begin : now;
	c->ended(c->arg, call, how);
}

static size_t
frames(struct str stack)
{
	size_t i, n = 1;

	for (i = 0; i < stack.len; i++)
		n += stack.p[i] == ';';
	return n;
}

/*
 * Whether an entry is within the call that is open.  If so, who called that
 * one are callers of this one too, and it has more of them.  Else the open
 * call was left, or its return was lost.  Stacks without callers, or whose
 * callers are missing, tell nothing.
 */
static enum relation
relate(const struct calls *c, const struct call *call, uint32_t stack)
{
	struct str outer = intern_name(c->stacks, call->stack),
		   inner = intern_name(c->stacks, stack);
	size_t depth = frames(outer);

	if (c->flat)
		return BEHIND;
	if (depth < 3)
		return WITHIN;
	if (is_truncated(outer) || is_truncated(inner))
		return UNCERTAIN;
	while (outer.p[outer.len - 1] != ';')
		outer.len--;
	return str_starts(inner, outer) && frames(inner) > depth ? WITHIN :
								   BEHIND;
}

/*
 * Without proof of anything else an entry is within the open call, until a
 * stack is seen that this one is not in.
 */
static bool
is_nested(const struct calls *c, struct call *call, uint32_t stack)
{
	enum relation r = relate(c, call, stack);

	call->doubted |= r == UNCERTAIN;
	return r == WITHIN || (r == UNCERTAIN && !call->over);
}

void
calls_enter(struct calls *c, const struct sample_line *s)
{
	struct calls_thread *t = step(c, s);

	if (t->place == INSIDE && is_nested(c, &t->call, s->stack)) {
		t->call.depth++;
		c->nested++;
		return;
	}
	if (t->place == INSIDE)
		end(c, t, s->time, CALL_LEFT);
	else if (t->place == UNKNOWN)
		c->outside(c->arg, &t->call.cells);
	begin(c, t, s);
}

static uint64_t
count_frame(struct str stack, struct str frame)
{
	uint64_t n = 0;

	while (stack.len > 0)
		n += str_eq(str_cut(&stack, ';'), frame);
	return n;
}

/* The last frame of several. */
static struct str
leaf_of(struct str stack)
{
	const char *p = memrchr(stack.p, ';', stack.len);

	return str_range(p + 1, stack.p + stack.len);
}

/* Where a stack begins that has all callers, as far as another one shows it. */
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
 * A call and those in it are as many frames of a stack that has all callers,
 * unless the function was inlined where it is entered.
 */
void
calls_sampled(const struct calls *c, struct call *call, uint32_t stack)
{
	struct str entry, seen, leaf;

	if (!call->doubted || call->over)
		return;
	entry = intern_name(c->stacks, call->stack);
	seen = intern_name(c->stacks, stack);
	leaf = leaf_of(entry);
	if (!is_truncated(seen) && frames(seen) > 2 &&
	    str_starts(seen, root_of(entry)) && !str_ends(leaf, STR("_[i]")))
		call->over = count_frame(seen, leaf) < call->depth;
}

void
calls_return(struct calls *c, const struct sample_line *s)
{
	struct calls_thread *t = step(c, s);

	if (t->place == UNKNOWN)
		end(c, t, s->time, CALL_BEFORE);
	else if (t->place == OUTSIDE)
		c->stray++;
	else if (--t->call.depth == 0)
		end(c, t, s->time,
		    t->losses < c->losses ? CALL_LOST : CALL_RETURNED);
}

struct call *
calls_of(struct calls *c, const struct origin *o)
{
	struct calls_thread *t = thread_of(c, o);

	return t->place == OUTSIDE ? NULL : &t->call;
}

bool
calls_is_inside(const struct calls *c, const struct origin *o)
{
	return o->thread < c->n && c->thread[o->thread].place == INSIDE;
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
		if (t->place == INSIDE)
			end(c, t, t->call.begin, CALL_OPEN);
		else if (t->place == UNKNOWN)
			c->outside(c->arg, &t->call.cells);
		cells_free(&t->call.cells);
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
