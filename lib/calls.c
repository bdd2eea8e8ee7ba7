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
static bool
is_nested(const struct calls *c, const struct call *call, uint32_t stack)
{
	struct str outer = intern_name(c->stacks, call->stack),
		   inner = intern_name(c->stacks, stack);
	size_t depth = frames(outer);

	if (c->flat)
		return false;
	if (depth < 3 || str_search(outer, STR(";[truncated]")) != NULL ||
	    str_search(inner, STR(";[truncated]")) != NULL)
		return true;
	while (outer.p[outer.len - 1] != ';')
		outer.len--;
	return str_starts(inner, outer) && frames(inner) > depth;
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
