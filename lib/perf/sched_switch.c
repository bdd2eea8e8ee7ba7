/* sched_switch.c - when the threads of a recording ran and when they waited. */
#include "perf/sched_switch.h"

#include "base/table.h"

#include <utlist.h>

/* ns after which no more records of a thread come that has ended. */
#define LATE (UINT64_C(10) * 1000000000)

enum place { NOT_SEEN, ON_CPU, OFF_CPU, ENDED };

struct sched_thread {
	int64_t pid, tid, cpu;
	enum place place;
	bool existed;       /* when the recording began */
	uint64_t since;     /* when it came to its place */
	uint64_t unsampled; /* time that it ran before that, without a sample */
	enum sched_off off;
	int64_t state;
	uint64_t cgroup;
	bool has_stack;
	struct callstack stack;
	UT_hash_handle hh;
	struct sched_thread *prev, *next; /* among those that ended */
};

struct sched_switch {
	bool complete, began;
	uint64_t start; /* of the recording */
	struct sched_thread *threads;
	struct sched_thread *ended; /* in the order of their records */
	struct sched_thread *last;  /* found; a record takes several calls */
	struct span *span;          /* finished */
	size_t nspans, span_cap, next;
	uint64_t lost;
};

struct sched_switch *
sched_switch_new(bool complete)
{
	struct sched_switch *s = mem_zero(1, sizeof(*s));

	s->complete = complete;
	return s;
}

static void
free_thread(struct sched_switch *s, struct sched_thread *t)
{
	HASH_DEL(s->threads, t);
	free(t->stack.frame);
	free(t);
}

void
sched_switch_free(struct sched_switch *s)
{
	if (s == NULL)
		return;
	while (s->threads != NULL)
		free_thread(s, s->threads);
	free(s->span);
	free(s);
}

uint64_t
sched_switch_lost(const struct sched_switch *s)
{
	return s->lost;
}

/* The thread, or NULL. */
static struct sched_thread *
find(struct sched_switch *s, int64_t tid)
{
	struct sched_thread *t = s->last;

	if (t != NULL && t->tid == tid)
		return t;
	HASH_FIND(hh, s->threads, &tid, sizeof(tid), t);
	if (t != NULL)
		s->last = t;
	return t;
}

/* The thread, added if it is new; a pid of -1 changes nothing. */
static struct sched_thread *
get(struct sched_switch *s, int64_t pid, int64_t tid)
{
	struct sched_thread *t = find(s, tid);

	if (t == NULL) {
		t = mem_alloc(sizeof(*t));
		*t = (struct sched_thread){ .pid = -1, .tid = tid, .cpu = -1 };
		HASH_ADD(hh, s->threads, tid, sizeof(tid), t);
	}
	if (pid >= 0)
		t->pid = pid;
	return t;
}

bool
sched_switch_has(struct sched_switch *s, int64_t tid)
{
	return find(s, tid) != NULL;
}

/* Spans. */

static void
add_span(struct sched_switch *s, const struct sched_thread *t,
	 enum span_kind kind, uint64_t end, uint64_t ns)
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
sched_switch_next(struct sched_switch *s, struct span *span)
{
	if (s->next == s->nspans) {
		s->next = s->nspans = 0;
		return false;
	}
	*span = s->span[s->next++];
	return true;
}

/*
 * A thread was off its CPU until now.  If not exact, it came back at some time
 * before now.
 */
static void
end_wait(struct sched_switch *s, const struct sched_thread *t, uint64_t now,
	 bool exact)
{
	enum span_kind kind = t->off == SCHED_OFF_RUNNABLE ? SPAN_RUNNABLE :
							     SPAN_WAIT;

	add_span(s, t, exact ? kind : SPAN_UNKNOWN, now, now - t->since);
}

/* A record that comes late must not turn back the time of its thread. */
static uint64_t
thread_time(const struct sched_thread *t, uint64_t now)
{
	return now < t->since ? t->since : now;
}

void
sched_switch_begin(struct sched_switch *s, uint64_t now)
{
	if (!s->began)
		s->start = now;
	s->began = true;
}

static void
put(struct sched_switch *s, struct sched_thread *t, enum place place,
    uint64_t now)
{
	if (t->place == ENDED)
		DL_DELETE(s->ended, t);
	if (place == ENDED)
		DL_APPEND(s->ended, t);
	t->place = place;
	t->since = now;
}

/*
 * A thread is on a CPU.  If not exact, it came there at some time before now.
 */
static void
arrive(struct sched_switch *s, struct sched_thread *t, uint64_t now, bool exact)
{
	now = thread_time(t, now);
	sched_switch_begin(s, now);
	switch (t->place) {
	case NOT_SEEN:
		/* A record that comes late may be from before the start. */
		t->since = t->existed && s->start < now ? s->start : now;
		t->off = SCHED_OFF_UNKNOWN;
		if (exact)
			end_wait(s, t, now, true);
		else if (s->complete)
			now = t->since; /* it has been there all the time */
		break;
	case ON_CPU:
		if (!exact)
			return;
		/* It must have left the CPU in between. */
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
	put(s, t, ON_CPU, now);
	t->has_stack = false;
	t->state = 0;
}

/* Events. */

void
sched_switch_exists(struct sched_switch *s, int64_t pid, int64_t tid)
{
	struct sched_thread *t = get(s, pid, tid);

	if (t->place == NOT_SEEN)
		t->existed = true;
}

/* Their spans have been given out before the record that is added now. */
static void
forget_ended(struct sched_switch *s, uint64_t now)
{
	struct sched_thread *t;

	while ((t = s->ended) != NULL && now > LATE && t->since < now - LATE) {
		DL_DELETE(s->ended, t);
		free_thread(s, t);
		s->last = NULL;
	}
}

void
sched_switch_fork(struct sched_switch *s, int64_t pid, int64_t tid,
		  int64_t parent, uint64_t now)
{
	struct sched_thread *t, *from;

	forget_ended(s, now);
	t = get(s, pid, tid);
	from = find(s, parent);
	sched_switch_begin(s, now);
	t->unsampled = 0;
	t->has_stack = t->existed = false;
	t->state = 0;
	t->cgroup = from == NULL ? 0 : from->cgroup;
	t->off = SCHED_OFF_RUNNABLE;
	put(s, t, OFF_CPU, now);
}

static void
end_unsampled(struct sched_switch *s, struct sched_thread *t, uint64_t now)
{
	if (t->place == ON_CPU)
		t->unsampled += now - t->since;
	add_span(s, t, SPAN_RAN, now, t->unsampled);
	t->unsampled = 0;
}

void
sched_switch_exit(struct sched_switch *s, int64_t tid, uint64_t now)
{
	struct sched_thread *t = get(s, -1, tid);

	if (t->place == NOT_SEEN || t->place == OFF_CPU)
		arrive(s, t, now, false);
	end_unsampled(s, t, thread_time(t, now));
	put(s, t, ENDED, now);
}

void
sched_switch_in(struct sched_switch *s, int64_t pid, int64_t tid, int64_t cpu,
		uint64_t now)
{
	struct sched_thread *t = get(s, pid, tid);

	arrive(s, t, now, true);
	t->cpu = cpu;
}

void
sched_switch_out(struct sched_switch *s, int64_t pid, int64_t tid, uint64_t now,
		 enum sched_off off)
{
	struct sched_thread *t = get(s, pid, tid);

	if (t->place == ENDED)
		return;
	if (t->place != ON_CPU)
		arrive(s, t, now, false);
	now = thread_time(t, now);
	t->unsampled += now - t->since;
	t->off = off;
	put(s, t, OFF_CPU, now);
}

void
sched_switch_stack(struct sched_switch *s, int64_t tid,
		   const struct callstack *stack, int64_t state)
{
	struct sched_thread *t = get(s, -1, tid);
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
sched_switch_wake(struct sched_switch *s, int64_t tid, uint64_t now)
{
	struct sched_thread *t = find(s, tid);

	if (t == NULL || t->place != OFF_CPU || t->off == SCHED_OFF_RUNNABLE)
		return;
	now = thread_time(t, now);
	end_wait(s, t, now, true);
	t->off = SCHED_OFF_RUNNABLE;
	t->since = now;
}

void
sched_switch_seen(struct sched_switch *s, int64_t pid, int64_t tid, int64_t cpu,
		  uint64_t now)
{
	struct sched_thread *t = get(s, pid, tid);

	arrive(s, t, now, false);
	t->cpu = cpu;
	t->has_stack = false;
}

/* A thread of a process that is on a CPU; NULL if none. */
static struct sched_thread *
find_running(const struct sched_switch *s, int64_t pid)
{
	struct sched_thread *t;

	for (t = s->threads; t != NULL; t = t->hh.next) {
		if (t->pid == pid && t->place == ON_CPU)
			break;
	}
	return t;
}

void
sched_switch_exec(struct sched_switch *s, int64_t pid, int64_t tid, int64_t cpu,
		  uint64_t now)
{
	struct sched_thread *t = get(s, pid, tid), *other;

	if (t->place == ENDED) {
		other = find_running(s, pid);
		if (other != NULL)
			sched_switch_exit(s, other->tid, now);
		put(s, t, ON_CPU, thread_time(t, now));
	}
	sched_switch_seen(s, pid, tid, cpu, now);
}

void
sched_switch_group(struct sched_switch *s, int64_t tid, uint64_t cgroup)
{
	get(s, -1, tid)->cgroup = cgroup;
}

uint64_t
sched_switch_sample(struct sched_switch *s, int64_t pid, int64_t tid,
		    int64_t cpu, uint64_t now, uint64_t ns)
{
	struct sched_thread *t = get(s, pid, tid);

	sched_switch_seen(s, pid, tid, cpu, now);
	if (t->place != ON_CPU)
		return 0;
	now = thread_time(t, now);
	t->unsampled += now - t->since;
	t->since = now;
	if (ns > t->unsampled)
		ns = t->unsampled;
	t->unsampled -= ns;
	return ns;
}

/* The end. */

static int
compare_tids(const struct sched_thread *a, const struct sched_thread *b)
{
	return (a->tid > b->tid) - (a->tid < b->tid);
}

static void
end_thread(struct sched_switch *s, struct sched_thread *t, uint64_t now)
{
	if (t->place == ENDED || (t->place == NOT_SEEN && !t->existed))
		return;
	if (t->place == NOT_SEEN) {
		t->since = s->start;
		t->off = SCHED_OFF_UNKNOWN;
	}
	now = thread_time(t, now);
	if (t->place != ON_CPU)
		end_wait(s, t, now, s->complete);
	end_unsampled(s, t, now);
}

void
sched_switch_end(struct sched_switch *s, uint64_t now, bool unseen)
{
	struct sched_thread *t;

	HASH_SORT(s->threads, compare_tids);
	for (t = s->threads; t != NULL; t = t->hh.next) {
		if (unseen || t->place != NOT_SEEN)
			end_thread(s, t, now);
	}
}
