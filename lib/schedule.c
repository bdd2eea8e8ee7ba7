/* schedule.c - when the threads of a recording ran, and when they waited. */
#include "schedule.h"

#include "hash.h"
#include "mem.h"

#include <stdlib.h>

enum place { NOWHERE, ON_CPU, OFF_CPU, ENDED };

struct thread {
	int64_t pid, tid, cpu;
	enum place place;
	bool existed;       /* from the start of the recording on */
	uint64_t since;     /* it is in its place */
	uint64_t unsampled; /* time that it ran before that */
	enum schedule_why why;
	int64_t state;
	uint64_t cgroup;
	bool has_stack;
	struct callstack stack;
};

struct schedule {
	bool complete, began;
	uint64_t start;         /* of the recording */
	struct thread **thread; /* a hash table, at most half full */
	size_t n, size;
	struct span *span; /* that are over */
	size_t nspans, span_cap, next;
	uint64_t lost;
};

struct schedule *
schedule_new(bool complete)
{
	struct schedule *s = mem_zero(1, sizeof(*s));

	s->complete = complete;
	s->size = 64;
	s->thread = mem_zero(s->size, sizeof(struct thread *));
	return s;
}

void
schedule_free(struct schedule *s)
{
	size_t i;

	if (s == NULL)
		return;
	for (i = 0; i < s->size; i++) {
		if (s->thread[i] != NULL)
			free(s->thread[i]->stack.frame);
		free(s->thread[i]);
	}
	free(s->thread);
	free(s->span);
	free(s);
}

uint64_t
schedule_lost(const struct schedule *s)
{
	return s->lost;
}

/* The table. */

static struct thread **
slot(const struct schedule *s, int64_t tid)
{
	size_t i = (size_t)hash_bytes(&tid, sizeof(tid)) & (s->size - 1);

	while (s->thread[i] != NULL && s->thread[i]->tid != tid)
		i = (i + 1) & (s->size - 1);
	return &s->thread[i];
}

static void
grow(struct schedule *s)
{
	struct thread **old = s->thread;
	size_t i, n = s->size;

	s->size = 2 * n;
	s->thread = mem_zero(s->size, sizeof(struct thread *));
	for (i = 0; i < n; i++) {
		if (old[i] != NULL)
			*slot(s, old[i]->tid) = old[i];
	}
	free(old);
}

static struct thread *
get(struct schedule *s, int64_t pid, int64_t tid)
{
	struct thread **p, *t;

	if (2 * s->n >= s->size)
		grow(s);
	p = slot(s, tid);
	if (*p == NULL) {
		*p = mem_zero(1, sizeof(**p));
		**p = (struct thread){ .pid = -1, .tid = tid, .cpu = -1 };
		s->n++;
	}
	t = *p;
	if (pid >= 0)
		t->pid = pid;
	return t;
}

bool
schedule_knows(const struct schedule *s, int64_t tid)
{
	return *slot(s, tid) != NULL;
}

/* Spans. */

static void
add_span(struct schedule *s, const struct thread *t, enum span_kind kind,
	 uint64_t end, uint64_t ns)
{
	bool off = kind == SPAN_WAIT || kind == SPAN_RUNNABLE;

	if (ns == 0)
		return;
	s->span = mem_grow(s->span, &s->span_cap, s->nspans + 1,
			   sizeof(*s->span));
	s->span[s->nspans++] =
	    (struct span){ .kind = kind,
			   .pid = t->pid,
			   .tid = t->tid,
			   .cpu = t->cpu,
			   .end = end,
			   .ns = ns,
			   .state = t->state,
			   .cgroup = t->cgroup,
			   .stack = off && t->has_stack ? &t->stack : NULL };
}

bool
schedule_next(struct schedule *s, struct span *span)
{
	if (s->next == s->nspans) {
		s->next = s->nspans = 0;
		return false;
	}
	*span = s->span[s->next++];
	return true;
}

/* A thread was off its CPU until now; exact tells that it comes back now. */
static void
end_wait(struct schedule *s, const struct thread *t, uint64_t now, bool exact)
{
	enum span_kind kind = t->why == WHY_RUNNABLE ? SPAN_RUNNABLE :
						       SPAN_WAIT;

	add_span(s, t, exact ? kind : SPAN_UNKNOWN, now, now - t->since);
}

/* Time, which does not run backwards for a thread. */
static uint64_t
not_before(const struct thread *t, uint64_t now)
{
	return now < t->since ? t->since : now;
}

void
schedule_begin(struct schedule *s, uint64_t now)
{
	if (!s->began)
		s->start = now;
	s->began = true;
}

static void
put(struct thread *t, enum place place, uint64_t now)
{
	t->place = place;
	t->since = now;
}

/* A thread is on a CPU from now on; exact tells that it comes there now. */
static void
arrive(struct schedule *s, struct thread *t, uint64_t now, bool exact)
{
	now = not_before(t, now);
	schedule_begin(s, now);
	switch (t->place) {
	case NOWHERE:
		/* A record that comes too late may be of before the start. */
		t->since = t->existed && s->start < now ? s->start : now;
		t->why = WHY_UNKNOWN;
		if (exact)
			end_wait(s, t, now, true);
		else if (s->complete)
			now = t->since; /* it was never away */
		break;
	case ON_CPU:
		if (!exact)
			return;
		/* It must have left in between. */
		add_span(s, t, SPAN_UNKNOWN, now, now - t->since);
		s->lost += s->complete;
		break;
	case OFF_CPU:
		end_wait(s, t, now, exact);
		s->lost += s->complete && !exact;
		break;
	case ENDED:
		return;
	}
	put(t, ON_CPU, now);
	t->has_stack = false;
	t->state = 0;
}

/* Events. */

void
schedule_exists(struct schedule *s, int64_t pid, int64_t tid)
{
	struct thread *t = get(s, pid, tid);

	if (t->place == NOWHERE)
		t->existed = true;
}

void
schedule_fork(struct schedule *s, int64_t pid, int64_t tid, int64_t parent,
	      uint64_t now)
{
	struct thread *t = get(s, pid, tid), *from = *slot(s, parent);

	schedule_begin(s, now);
	t->unsampled = 0;
	t->has_stack = t->existed = false;
	t->state = 0;
	t->cgroup = from == NULL ? 0 : from->cgroup;
	t->why = WHY_RUNNABLE;
	put(t, OFF_CPU, now);
}

static void
end_unsampled(struct schedule *s, struct thread *t, uint64_t now)
{
	if (t->place == ON_CPU)
		t->unsampled += now - t->since;
	add_span(s, t, SPAN_RAN, now, t->unsampled);
	t->unsampled = 0;
}

void
schedule_exit(struct schedule *s, int64_t tid, uint64_t now)
{
	struct thread *t = get(s, -1, tid);

	if (t->place == NOWHERE || t->place == OFF_CPU)
		arrive(s, t, now, false);
	end_unsampled(s, t, not_before(t, now));
	put(t, ENDED, now);
}

void
schedule_in(struct schedule *s, int64_t pid, int64_t tid, int64_t cpu,
	    uint64_t now)
{
	struct thread *t = get(s, pid, tid);

	arrive(s, t, now, true);
	t->cpu = cpu;
}

void
schedule_out(struct schedule *s, int64_t pid, int64_t tid, uint64_t now,
	     enum schedule_why why)
{
	struct thread *t = get(s, pid, tid);

	if (t->place == ENDED)
		return;
	if (t->place != ON_CPU)
		arrive(s, t, now, false);
	now = not_before(t, now);
	t->unsampled += now - t->since;
	t->why = why;
	put(t, OFF_CPU, now);
}

void
schedule_stack(struct schedule *s, int64_t tid, const struct callstack *stack,
	       int64_t state)
{
	struct thread *t = get(s, -1, tid);
	struct callstack *to = &t->stack;

	to->frame = mem_grow(to->frame, &to->cap, stack->n + 1,
			     sizeof(*to->frame));
	if (stack->n > 0)
		memcpy(to->frame, stack->frame, stack->n * sizeof(*to->frame));
	to->n = stack->n;
	to->truncated = stack->truncated;
	to->deferred = stack->deferred;
	to->cookie = stack->cookie;
	t->has_stack = true;
	t->state = state;
}

void
schedule_wake(struct schedule *s, int64_t tid, uint64_t now)
{
	struct thread *t = *slot(s, tid);

	if (t == NULL || t->place != OFF_CPU || t->why == WHY_RUNNABLE)
		return;
	now = not_before(t, now);
	end_wait(s, t, now, true);
	t->why = WHY_RUNNABLE;
	t->since = now;
}

void
schedule_seen(struct schedule *s, int64_t pid, int64_t tid, int64_t cpu,
	      uint64_t now)
{
	struct thread *t = get(s, pid, tid);

	arrive(s, t, now, false);
	t->cpu = cpu;
	t->has_stack = false;
}

/* A thread of a process that is on a CPU, or NULL. */
static struct thread *
find_running(const struct schedule *s, int64_t pid)
{
	struct thread *t;
	size_t i;

	for (i = 0; i < s->size; i++) {
		t = s->thread[i];
		if (t != NULL && t->pid == pid && t->place == ON_CPU)
			return t;
	}
	return NULL;
}

void
schedule_exec(struct schedule *s, int64_t pid, int64_t tid, int64_t cpu,
	      uint64_t now)
{
	struct thread *t = get(s, pid, tid), *other;

	if (t->place == ENDED) {
		other = find_running(s, pid);
		if (other != NULL)
			schedule_exit(s, other->tid, now);
		put(t, ON_CPU, not_before(t, now));
	}
	schedule_seen(s, pid, tid, cpu, now);
}

void
schedule_group(struct schedule *s, int64_t tid, uint64_t cgroup)
{
	get(s, -1, tid)->cgroup = cgroup;
}

uint64_t
schedule_sample(struct schedule *s, int64_t pid, int64_t tid, int64_t cpu,
		uint64_t now, uint64_t ns)
{
	struct thread *t = get(s, pid, tid);

	schedule_seen(s, pid, tid, cpu, now);
	if (t->place != ON_CPU)
		return 0;
	now = not_before(t, now);
	t->unsampled += now - t->since;
	t->since = now;
	if (ns > t->unsampled)
		ns = t->unsampled;
	t->unsampled -= ns;
	return ns;
}

/* The end. */

static int
compare_tids(const void *a, const void *b)
{
	const struct thread *x = *(struct thread *const *)a,
			    *y = *(struct thread *const *)b;

	return (x->tid > y->tid) - (x->tid < y->tid);
}

static void
end_thread(struct schedule *s, struct thread *t, uint64_t now)
{
	if (t->place == ENDED || (t->place == NOWHERE && !t->existed))
		return;
	if (t->place == NOWHERE) {
		t->since = s->start;
		t->why = WHY_UNKNOWN;
	}
	now = not_before(t, now);
	if (t->place != ON_CPU)
		end_wait(s, t, now, s->complete);
	end_unsampled(s, t, now);
}

void
schedule_end(struct schedule *s, uint64_t now, bool unseen)
{
	struct thread **all = mem_alloc((s->n + 1) * sizeof(*all));
	size_t i, n = 0;

	for (i = 0; i < s->size; i++) {
		if (s->thread[i] != NULL)
			all[n++] = s->thread[i];
	}
	qsort(all, n, sizeof(*all), compare_tids);
	for (i = 0; i < n; i++) {
		if (unseen || all[i]->place != NOWHERE)
			end_thread(s, all[i], now);
	}
	free(all);
}
