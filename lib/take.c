/* take.c - one thread taken: by a copy while it waits, or by a stop. */
#include "take.h"

#include "mem.h"

#include <errno.h>
#include <stdlib.h>

/* Memory. */

void
take_memory(struct taker *s, struct tasks *p, int64_t tid)
{
	p->looked = true;
	target_look(&p->target, tid, s->processes, s->ids, &s->options.news,
		    tasks_now());
	stackof_prepare(s->stacks, &p->target);
}

/* Once a round, look for memory that we have not seen yet. */
static void
know(struct taker *s, struct tasks *p, int64_t tid, uint64_t sp, uint64_t pc)
{
	const struct proc_map *m = target_map(&p->target, pc);

	if (p->looked || (target_map(&p->target, sp) != NULL && m != NULL &&
			  proctext_is_code(m)))
		return;
	take_memory(s, p, tid);
}

/* How much of the stack there is, from the stack pointer on. */
struct stack_size {
	const struct target *target;
	size_t most;
};

static size_t
stack_size(void *arg, uint64_t sp)
{
	const struct stack_size *size = arg;
	const struct proc_map *m = target_map(size->target, sp);
	const uint64_t unknown = 16384;
	uint64_t n = m == NULL ? unknown : m->end - sp;

	return n > size->most ? size->most : (size_t)n;
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
static void
unwind_held(struct taker *s, struct tasks *p, struct task *t,
	    const struct held_thread *held)
{
	struct stack_copy copy = { .target = &p->target,
				   .tid = t->files.tid,
				   .registers = held->registers.unwind,
				   .sp = held->registers.sp,
				   .bytes = buf_slice(&held->stack) };

	know(s, p, t->files.tid, held->registers.sp, held->registers.pc);
	stackof_unwind(s->stacks, &copy, &t->frames);
	if (!t->frames.lost || p->looked)
		return;
	take_memory(s, p, t->files.tid);
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

	unwind_held(s, p, t, held);
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

static void
tell_taken(struct taker *s, struct tasks *p)
{
	const struct taken *k;
	size_t i;

	for (i = 0; i < s->ntaken; i++) {
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

/* Taking. */

static struct taken *
add(struct taker *s, struct task *t, const struct look *look)
{
	const size_t old = s->taken_cap;
	struct taken *k;

	s->taken = mem_grow(s->taken, &s->taken_cap, s->ntaken + 1,
			    sizeof(*s->taken));
	if (s->taken_cap > old)
		memset(s->taken + old, 0,
		       (s->taken_cap - old) * sizeof(*s->taken));
	/* Until something is held again, this is ordinary work. */
	if (s->nwaiting == 0)
		hold_calm(s->holder);
	k = &s->taken[s->ntaken++];
	k->task = t;
	k->look = *look;
	k->what = TAKEN_FRAMES;
	return k;
}

static void
add_nothing(struct taker *s, struct task *t, const struct look *look)
{
	add(s, t, look)->what = TAKEN_NOTHING;
}

/* What was held last. */
static void
add_held(struct taker *s, struct task *t, const struct look *look)
{
	struct taken *k = add(s, t, look);
	const struct held_thread spare = k->held;

	k->what = TAKEN_HELD;
	k->held = s->held;
	s->held = spare;
}

void
take_free(struct taker *s)
{
	size_t i;

	for (i = 0; i < s->taken_cap; i++)
		buf_free(&s->taken[i].held.stack);
	free(s->taken);
	free(s->waiting);
	buf_free(&s->held.stack);
	buf_free(&s->copy);
}

/* Whether a thread is a process of this machine that we can unwind. */
static void
note_end(struct taker *s, enum hold_end end)
{
	s->counts.denied += end == HOLD_DENIED;
	s->counts.foreign += end == HOLD_FOREIGN;
}

static enum hold_end
hold(struct taker *s, const struct tasks *p, const struct task *t,
     const struct look *look)
{
	struct stack_size size = { &p->target, s->options.stack };
	const struct hold_extent extent = { stack_size, &size };
	enum hold_end end;

	end = hold_thread(s->holder, t->files.tid, &extent, &s->held);
	note_end(s, end);
	s->counts.stopped_blocked += end == HOLD_DONE && !look->call.running;
	return end;
}

static void
wait_for(struct taker *s, struct task *t, const struct look *look)
{
	s->waiting = mem_grow(s->waiting, &s->waiting_cap, s->nwaiting + 1,
			      sizeof(*s->waiting));
	s->waiting[s->nwaiting++] = (struct waiting){ t, *look };
}

/* Take those that have stopped by now, or do so until a time. */
static void
take_until(struct taker *s, struct tasks *p, uint64_t until)
{
	struct stack_size size = { &p->target, s->options.stack };
	const struct hold_extent extent = { stack_size, &size };
	struct waiting w;
	enum hold_end end;
	int64_t tid;
	size_t i;

	while (s->nwaiting > 0) {
		if (!hold_next(s->holder, until, &extent, &s->held, &tid, &end))
			return;
		for (i = 0; i < s->nwaiting; i++) {
			if (s->waiting[i].task->files.tid == tid)
				break;
		}
		if (i == s->nwaiting)
			continue;
		w = s->waiting[i];
		s->waiting[i] = s->waiting[--s->nwaiting];
		note_end(s, end);
		if (end == HOLD_DONE)
			add_held(s, w.task, &w.look);
		else if (end != HOLD_GONE)
			add_nothing(s, w.task, &w.look);
	}
}

void
take_late(struct taker *s, struct tasks *p)
{
	take_until(s, p, 0);
}

/* No more of this process in this round: what is late is so for good. */
void
take_rest(struct taker *s, struct tasks *p)
{
	const struct waiting *w;
	size_t i;

	take_until(s, p, tasks_now() + s->options.wait);
	for (i = 0; i < s->nwaiting; i++) {
		w = &s->waiting[i];
		s->counts.late++;
		add_nothing(s, w->task, &w->look);
	}
	s->nwaiting = 0;
	/* A signal may have come for more than one. */
	hold_late(s->holder);
	hold_leave(s->holder);
	tell_taken(s, p);
}

/* Stop it; false if it may not be. */
static bool
take_held(struct taker *s, struct tasks *p, struct task *t,
	  const struct look *look)
{
	enum hold_end end;

	if (s->options.no_stop)
		return false;
	end = hold(s, p, t, look);
	if (end == HOLD_DONE)
		add_held(s, t, look);
	else if (end == HOLD_LATE)
		wait_for(s, t, look);
	if (end == HOLD_DENIED || end == HOLD_FOREIGN)
		return false;
	t->standing = false;
	return true;
}

/*
 * A thread that runs, or has moved while it was looked at.  What waits is
 * described before it is stopped: then it runs, to begin its call anew.
 */
static void
take_moving(struct taker *s, struct tasks *p, struct task *t,
	    const struct look *look)
{
	t->standing = false;
	if (!look->call.running)
		tasks_describe(t);
	if (!take_held(s, p, t, look))
		add_nothing(s, t, look);
}

/*
 * It did not stand still.  The copy is not tried again: what waits briefly
 * would be missing.
 */
static void
take_moved(struct taker *s, struct tasks *p, struct task *t,
	   const struct look *first)
{
	struct look look;

	t->standing = false;
	if (!look_at(&t->files, s->count, &look))
		return;
	if (look.call.running || tasks_restarts(t, &look.call))
		take_moving(s, p, t, first);
	else
		add_nothing(s, t, first);
}

/* Blocked threads. */

static bool
is_kept(const struct task *t, const struct proc_call *call,
	const struct buf *copy)
{
	return t->kept.len > 0 && t->kept_sp == call->sp &&
	       t->kept_pc == call->pc &&
	       str_eq(buf_slice(&t->kept), buf_slice(copy));
}

/* Registers are missing: stop it, where that does it no harm. */
static bool
complete(struct taker *s, struct tasks *p, struct task *t,
	 const struct look *look)
{
	tasks_describe(t);
	return tasks_restarts(t, &look->call) && take_held(s, p, t, look);
}

static void
take_blocked(struct taker *s, struct tasks *p, struct task *t,
	     const struct look *look)
{
	struct stack_size size = { &p->target, s->options.stack };
	struct stack_copy copy = { .target = &p->target,
				   .tid = t->files.tid,
				   .sp = look->call.sp,
				   .live = true };
	size_t n;

	/* What has not run since it was seen waiting has the same stack. */
	if (t->standing && t->last.runs == look->runs) {
		t->stood++;
		add(s, t, look);
		return;
	}
	know(s, p, t->files.tid, look->call.sp, look->call.pc);
	n = stack_size(&size, look->call.sp);
	s->copy.len = 0;
	buf_reserve(&s->copy, n);
	s->copy.len = hold_read(t->files.tid, look->call.sp, s->copy.p, n);
	if (!look_again(&t->files, s->count, look)) {
		take_moved(s, p, t, look);
		return;
	}
	t->standing = true;
	t->stood = 0;
	t->last = *look;
	if (!is_kept(t, &look->call, &s->copy)) {
		copy.registers = registers_at(
		    look->call.sp, look->call.pc,
		    look->call.number < 0 ? NULL : look->call.arg);
		copy.bytes = buf_slice(&s->copy);
		t->kept.len = 0;
		stackof_unwind(s->stacks, &copy, &t->frames);
		if (t->frames.used_live &&
		    !look_again(&t->files, s->count, look)) {
			take_moved(s, p, t, look);
			return;
		}
		if (t->frames.lost && complete(s, p, t, look))
			return;
	}
	tasks_describe(t);
	add(s, t, look);
}

/*
 * What has waited for long, and has not run since, waits still; or is ready
 * to run by now, which is not asked: of all the time it is next to nothing.
 */
static bool
has_stood_long(const struct taker *s, struct task *t)
{
	const unsigned looks = 8;

	return t->standing && t->stood >= looks &&
	       look_again(&t->files, s->count, &t->last);
}

void
take_look(struct taker *s, struct tasks *p, struct task *t)
{
	const enum sampler_which which = s->options.which;
	const struct proc_call *call = &t->look.call;

	if (s->options.wants != NULL &&
	    !s->options.wants(s->options.arg, buf_slice(&t->name)))
		return;
	t->time = tasks_now();
	if (has_stood_long(s, t)) {
		if (which != SAMPLER_RUNNING)
			add(s, t, &t->last);
		return;
	}
	if (!look_at(&t->files, s->count, &t->look)) {
		s->counts.denied += errno == EPERM || errno == EACCES;
		t->gone = p->stale = true;
		return;
	}
	/* What has ended, but is not waited for, has no stack. */
	t->wanted = call->running ? which != SAMPLER_BLOCKED :
				    which != SAMPLER_RUNNING && call->sp != 0;
}

void
take_task(struct taker *s, struct tasks *p, struct task *t)
{
	if (!t->wanted)
		return;
	t->wanted = false;
	/* What ran may wait by now, for which it should not be stopped. */
	if (t->look.call.running)
		take_moved(s, p, t, &t->look);
	else if (s->count == LOOK_NONE)
		take_moving(s, p, t, &t->look);
	else
		take_blocked(s, p, t, &t->look);
}

void
take_together(struct taker *s, struct tasks *p)
{
	struct stack_size size = { &p->target, s->options.stack };
	const struct hold_extent extent = { stack_size, &size };
	struct hold_request *request = mem_zero(p->n + 1, sizeof(*request));
	struct held_thread *held = mem_zero(p->n + 1, sizeof(*held));
	struct look *look = mem_zero(p->n + 1, sizeof(*look));
	size_t i;

	for (i = 0; i < p->n; i++) {
		p->task[i]->time = tasks_now();
		look_at(&p->task[i]->files, s->count, &look[i]);
		tasks_describe(p->task[i]);
		request[i].tid = p->task[i]->files.tid;
		request[i].thread = &held[i];
	}
	hold_threads(s->holder, &extent, request, p->n);
	for (i = 0; i < p->n; i++) {
		note_end(s, request[i].end);
		s->counts.late += request[i].end == HOLD_LATE;
		if (request[i].end == HOLD_DONE) {
			unwind_held(s, p, p->task[i], &held[i]);
			add(s, p->task[i], &look[i]);
		} else if (request[i].end != HOLD_GONE) {
			add_nothing(s, p->task[i], &look[i]);
		}
		buf_free(&held[i].stack);
	}
	free(request);
	free(held);
	free(look);
}
