/* take.c - one thread taken: by a copy while it waits, or by a stop. */
#include "take.h"

#include "mem.h"
#include "taken.h"

#include <errno.h>
#include <stdlib.h>

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

static void
note_end(struct taker *s, enum hold_end end)
{
	s->counts.denied += end == HOLD_DENIED;
	s->counts.foreign += end == HOLD_FOREIGN;
}

/* What just ends cannot be stopped either, for the same errno. */
static enum hold_end
reason(const struct task *t, enum hold_end end)
{
	return end == HOLD_DENIED && tasks_has_ended(t) ? HOLD_GONE : end;
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
		s->counts.stopped_blocked += end == HOLD_DONE &&
					     !w.look.call.running;
		if (end == HOLD_DONE)
			taken_add_held(s, w.task, &w.look);
		else if (end != HOLD_GONE)
			taken_add_nothing(s, w.task, &w.look);
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
		taken_add_nothing(s, w->task, &w->look);
	}
	s->nwaiting = 0;
	/* A signal may have come for more than one. */
	hold_late(s->holder);
	hold_leave(s->holder);
	taken_tell(s, p);
}

/* Stop it; false if it may not be. */
static bool
take_held(struct taker *s, struct tasks *p, struct task *t,
	  const struct look *look)
{
	enum hold_end end;

	if (s->options.no_stop)
		return false;
	end = reason(t, hold_ask(s->holder, p->target.pid, t->files.tid));
	note_end(s, end);
	if (end == HOLD_DENIED)
		return false;
	t->standing = false;
	if (end == HOLD_LATE) {
		wait_for(s, t, look);
		take_until(s, p, tasks_now() + HOLD_SOON);
	}
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
		taken_add_nothing(s, t, look);
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
		taken_add_nothing(s, t, first);
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

/* From a copy; false if it has moved meanwhile. */
static bool
unwind_copy(struct taker *s, struct task *t, const struct look *look,
	    const struct stack_copy *copy)
{
	stackof_unwind(s->stacks, copy, &t->frames);
	return !t->frames.used_live || look_again(&t->files, s->count, look);
}

/*
 * From what is known of it, or else stopped, or else from what is found of its
 * frames; false if somebody else has its stack then.
 */
static bool
unwind(struct taker *s, struct tasks *p, struct task *t,
       const struct look *look, struct stack_copy *copy)
{
	bool stood = unwind_copy(s, t, look, copy);

	if (stood && t->frames.lost) {
		if (complete(s, p, t, look))
			return false;
		copy->find_frame = true;
		stood = unwind_copy(s, t, look, copy);
	}
	if (!stood)
		take_moved(s, p, t, look);
	return stood;
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
		taken_add(s, t, look);
		return;
	}
	taken_know(s, p, t->files.tid, look->call.sp, look->call.pc);
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
		if (!unwind(s, p, t, look, &copy))
			return;
	}
	tasks_describe(t);
	taken_add(s, t, look);
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

/*
 * Threads are named just after they were created, and others later.  So the
 * name of one that is not wanted is read again, the less often the longer it
 * is there, at last once a second.
 */
static bool
is_wanted(const struct taker *s, struct task *t)
{
	const uint64_t longest = 1000000000, now = tasks_now();
	const uint64_t age = t->named - t->seen;

	if (s->options.wants(s->options.arg, buf_slice(&t->name)))
		return true;
	if (now - t->named < (age < longest ? age : longest))
		return false;
	tasks_describe(t);
	t->named = now;
	return s->options.wants(s->options.arg, buf_slice(&t->name));
}

static void
want(struct taker *s, struct task *t, enum sampler_which not_of)
{
	t->wanted = s->options.which != not_of;
	s->counts.unwanted += !t->wanted;
}

void
take_look(struct taker *s, struct tasks *p, struct task *t)
{
	const struct proc_call *call = &t->look.call;

	if (s->options.wants != NULL && !is_wanted(s, t)) {
		s->counts.unnamed++;
		return;
	}
	t->time = tasks_now();
	t->stood_long = has_stood_long(s, t);
	if (t->stood_long) {
		want(s, t, SAMPLER_RUNNING);
		return;
	}
	if (!look_at(&t->files, s->count, &t->look)) {
		s->counts.denied += errno == EPERM || errno == EACCES;
		t->gone = p->stale = true;
		return;
	}
	t->wanted = false;
	/* What has ended, but is not waited for, has no stack. */
	if (call->running)
		want(s, t, SAMPLER_BLOCKED);
	else if (call->sp != 0)
		want(s, t, SAMPLER_RUNNING);
}

void
take_task(struct taker *s, struct tasks *p, struct task *t)
{
	if (!t->wanted)
		return;
	t->wanted = false;
	if (t->stood_long)
		taken_add(s, t, &t->last);
	/* What ran may wait by now, for which it should not be stopped. */
	else if (t->look.call.running)
		take_moved(s, p, t, &t->look);
	else if (s->count == LOOK_NONE)
		take_moving(s, p, t, &t->look);
	else
		take_blocked(s, p, t, &t->look);
	if (s->nwaiting == 0)
		hold_calm(s->holder);
}

/* Look at all threads: those that are wanted, into task and request. */
static size_t
want_together(struct taker *s, struct tasks *p, struct task **task,
	      struct hold_request *request)
{
	size_t i, n = 0;

	for (i = 0; i < p->n; i++) {
		take_look(s, p, p->task[i]);
		if (!p->task[i]->wanted)
			continue;
		p->task[i]->wanted = false;
		tasks_describe(p->task[i]);
		request[n].tid = p->task[i]->files.tid;
		task[n++] = p->task[i];
	}
	return n;
}

void
take_together(struct taker *s, struct tasks *p)
{
	struct stack_size size = { &p->target, s->options.stack };
	const struct hold_extent extent = { stack_size, &size };
	struct hold_request *request = mem_zero(p->n + 1, sizeof(*request));
	struct held_thread *held = mem_zero(p->n + 1, sizeof(*held));
	struct task **task = mem_zero(p->n + 1, sizeof(struct task *));
	const size_t n = want_together(s, p, task, request);
	size_t i;

	for (i = 0; i < n; i++)
		request[i].thread = &held[i];
	hold_threads(s->holder, p->target.pid, &extent, request, n);
	for (i = 0; i < n; i++) {
		request[i].end = reason(task[i], request[i].end);
		note_end(s, request[i].end);
		s->counts.late += request[i].end == HOLD_LATE;
		if (request[i].end == HOLD_DONE) {
			taken_unwind(s, p, task[i], &held[i]);
			taken_add(s, task[i], &task[i]->look);
		} else if (request[i].end != HOLD_GONE) {
			taken_add_nothing(s, task[i], &task[i]->look);
		}
		buf_free(&held[i].stack);
	}
	free(request);
	free(held);
	free(task);
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
