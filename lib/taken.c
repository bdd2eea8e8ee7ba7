/* taken.c - threads that were taken, until they are told of. */
#include "taken.h"

#include "mem.h"

#include <stdlib.h>

/* Memory. */

void
taken_look(struct taker *s, struct tasks *p, int64_t tid)
{
	/* This may read files, which takes long. */
	hold_leave(s->holder);
	p->looked = true;
	target_look(&p->target, tid, s->processes, s->ids, &s->options.news,
		    tasks_now());
	stackof_prepare(s->stacks, &p->target);
}

/* Once a round, look for memory that we have not seen yet. */
void
taken_know(struct taker *s, struct tasks *p, int64_t tid, uint64_t sp,
	   uint64_t pc)
{
	const struct proc_map *m = target_map(&p->target, pc);

	if (p->looked || (target_map(&p->target, sp) != NULL && m != NULL &&
			  proctext_is_code(m)))
		return;
	taken_look(s, p, tid);
}

/* What was taken. */

struct taken *
taken_add(struct taker *s, struct task *t, const struct look *look)
{
	const size_t old = s->taken_cap;
	struct taken *k;

	s->taken = mem_grow(s->taken, &s->taken_cap, s->ntaken + 1,
			    sizeof(*s->taken));
	if (s->taken_cap > old)
		memset(s->taken + old, 0,
		       (s->taken_cap - old) * sizeof(*s->taken));
	k = &s->taken[s->ntaken++];
	k->task = t;
	k->look = *look;
	k->what = TAKEN_FRAMES;
	return k;
}

void
taken_add_nothing(struct taker *s, struct task *t, const struct look *look)
{
	taken_add(s, t, look)->what = TAKEN_NOTHING;
}

void
taken_add_held(struct taker *s, struct task *t, const struct look *look)
{
	struct taken *k = taken_add(s, t, look);
	const struct held_thread spare = k->held;

	k->what = TAKEN_HELD;
	k->held = s->held;
	s->held = spare;
}

/* Samples. */

/* Tell of a thread. */
static void
tell(struct taker *s, const struct tasks *p, const struct task *t,
     const struct look *look, struct stack_frames *f)
{
	const struct sampled sampled = {
		.time = t->time,
		.pid = p->target.pid,
		.tid = t->files.tid,
		.state = look->call.running ? 'R' : t->state,
		.call = look->call.running ? STR("") :
					     tasks_call(t, &look->call),
		.wchan = look->call.running ? STR("") : buf_slice(&t->wchan),
		.name = buf_slice(&t->name),
		.frame = f->frame,
		.n = f->n,
		.note = &f->note,
		.truncated = f->truncated,
		.moving = f->moving
	};

	s->counts.threads++;
	s->counts.blocked += !look->call.running;
	s->counts.moving += f->moving;
	s->counts.truncated += f->truncated;
	s->options.sample(s->options.arg, &sampled);
}

/* Nothing is known but that it was there. */
static void
tell_nothing(struct taker *s, const struct tasks *p, const struct task *t,
	     const struct look *look)
{
	struct stack_frames nothing = { .moving = true };

	tell(s, p, t, look, &nothing);
	stackof_release(&nothing);
}

/* The frames of a thread that is not held any more, as it was then. */
void
taken_unwind(struct taker *s, struct tasks *p, struct task *t,
	     const struct held_thread *held)
{
	struct stack_copy copy = { .target = &p->target,
				   .tid = t->files.tid,
				   .registers = held->registers.unwind,
				   .sp = held->registers.sp,
				   .bytes = buf_slice(&held->stack) };

	taken_know(s, p, t->files.tid, held->registers.sp, held->registers.pc);
	stackof_unwind(s->stacks, &copy, &t->frames);
	if (!t->frames.lost || p->looked)
		return;
	taken_look(s, p, t->files.tid);
	stackof_unwind(s->stacks, &copy, &t->frames);
}

/*
 * A thread that was stopped.  If it still waited where it was seen to, what
 * was found by its registers is kept for as long as its stack has the same
 * bytes.
 */
static void
tell_held(struct taker *s, struct tasks *p, struct task *t,
	  const struct look *look, const struct held_thread *held)
{
	const struct registers *r = &held->registers;
	const bool same = !look->call.running && r->sp == look->call.sp &&
			  r->pc == look->call.pc;

	taken_unwind(s, p, t, held);
	t->frames.moving = look->call.running ? r->waited : !same;
	t->kept.len = 0;
	if (same) {
		buf_str(&t->kept, buf_slice(&held->stack));
		t->kept_sp = r->sp;
		t->kept_pc = r->pc;
	}
	if (look->call.running)
		tasks_describe(t);
	tell(s, p, t, look, &t->frames);
}

void
taken_tell(struct taker *s, struct tasks *p)
{
	const struct taken *k;
	size_t i;

	for (i = 0; i < s->ntaken; i++) {
		hold_calm(s->holder);
		k = &s->taken[i];
		if (k->what == TAKEN_HELD)
			tell_held(s, p, k->task, &k->look, &k->held);
		else if (k->what == TAKEN_NOTHING)
			tell_nothing(s, p, k->task, &k->look);
		else
			tell(s, p, k->task, &k->look, &k->task->frames);
	}
	s->ntaken = 0;
}
