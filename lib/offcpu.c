/* offcpu.c - out of the records of perf, when threads ran and waited. */
#include "offcpu.h"

#include "mem.h"
#include "schedule.h"
#include "waitname.h"
#include "waitnote.h"

#include <err.h>
#include <stdlib.h>

struct offcpu {
	bool begun;
	struct resolver *resolver;
	const struct perf_features *features;
	const struct perf_events *events;
	struct schedule *schedule;

	/* What is recorded. */
	bool switches, tracepoints, cpu_wide;
	const struct perf_event *last; /* asked for, */
	enum offcpu_kind kind;         /* and what it is */
	struct trace_field prev_pid, prev_state, next_pid, woken_pid;

	uint64_t newest;
	struct buf text;

	struct waitfacts facts;
};

struct offcpu *
offcpu_new(bool wall, struct resolver *r, const struct perf_features *features,
	   const struct perf_events *events)
{
	struct offcpu *o = mem_zero(1, sizeof(*o));

	o->facts.wall = wall;
	o->resolver = r;
	o->features = features;
	o->events = events;
	return o;
}

void
offcpu_free(struct offcpu *o)
{
	if (o == NULL)
		return;
	schedule_free(o->schedule);
	buf_free(&o->text);
	free(o);
}

/* Events. */

static bool
is_tracepoint(const struct offcpu *o, const struct perf_event *ev,
	      struct str name)
{
	const struct trace_format *f;

	if (ev->type != PERF_TYPE_TRACEPOINT)
		return false;
	f = tracefmt_find(&o->features->formats, ev->config);
	return str_eq(f != NULL ? f->name : ev->name, name);
}

static enum offcpu_kind
find_kind(const struct offcpu *o, const struct perf_event *ev)
{
	/* Counted in a group, but not sampled where it happens. */
	if (ev->period == 0 && ev->hz == 0)
		return OFFCPU_OTHER;
	if (ev->type == PERF_TYPE_SOFTWARE && ev->config == PERF_SW_SWITCHES)
		return OFFCPU_LEAVES;
	if (ev->type == PERF_TYPE_SOFTWARE && ev->config == PERF_SW_BPF)
		return str_starts(ev->name, STR("offcpu-time")) ?
			   OFFCPU_WAITED :
			   OFFCPU_OTHER;
	if (ev->type == PERF_TYPE_SOFTWARE)
		return ev->config == PERF_SW_CPU_CLOCK ||
			       ev->config == PERF_SW_TASK_CLOCK ?
			   OFFCPU_RAN :
			   OFFCPU_OTHER;
	if (is_tracepoint(o, ev, STR("sched:sched_switch")))
		return OFFCPU_LEAVES;
	if (is_tracepoint(o, ev, STR("sched:sched_waking")) ||
	    is_tracepoint(o, ev, STR("sched:sched_wakeup")))
		return OFFCPU_WAKES;
	return ev->type == PERF_TYPE_TRACEPOINT ||
		       ev->type == PERF_TYPE_BREAKPOINT ?
		   OFFCPU_OTHER :
		   OFFCPU_RAN;
}

/*
 * Of several events that are sampled as code runs, the first counts; of each
 * sort of cores, which is in the upper half of the number.
 */
static bool
is_clock(const struct offcpu *o, const struct perf_event *ev)
{
	return o->facts.clock != NULL && ev->type == o->facts.clock->type &&
	       (uint32_t)ev->config == (uint32_t)o->facts.clock->config;
}

static void
find_fields(struct offcpu *o, const struct perf_event *ev)
{
	const struct trace_format *f = ev->type != PERF_TYPE_TRACEPOINT ?
					   NULL :
					   tracefmt_find(&o->features->formats,
							 ev->config);

	if (f == NULL)
		return;
	if (find_kind(o, ev) == OFFCPU_LEAVES) {
		o->prev_pid = tracefmt_field(f, STR("prev_pid"));
		o->prev_state = tracefmt_field(f, STR("prev_state"));
		o->next_pid = tracefmt_field(f, STR("next_pid"));
	} else if (find_kind(o, ev) == OFFCPU_WAKES) {
		o->woken_pid = tracefmt_field(f, STR("pid"));
	}
}

/* Look at what is recorded; of a pipe it is known at the first record. */
static void
begin(struct offcpu *o)
{
	const struct perf_event *ev;
	enum offcpu_kind kind;
	size_t i;

	if (o->begun)
		return;
	o->begun = true;
	o->cpu_wide = o->features->nthreads == 0 || o->features->thread[0] < 0;
	for (i = 0; i < o->events->n; i++) {
		ev = o->events->event[i];
		kind = find_kind(o, ev);
		o->switches |= ev->switches;
		o->tracepoints |= kind == OFFCPU_LEAVES &&
				  ev->type == PERF_TYPE_TRACEPOINT;
		o->facts.has_leaves |= kind == OFFCPU_LEAVES;
		o->facts.has_waited |= kind == OFFCPU_WAITED;
		if (kind == OFFCPU_RAN && o->facts.clock == NULL)
			o->facts.clock = ev;
		find_fields(o, ev);
	}
	o->schedule = schedule_new(o->switches ||
				   (o->tracepoints && o->cpu_wide));
	for (i = 0; !o->cpu_wide && i < o->features->nthreads; i++)
		schedule_exists(o->schedule, -1, o->features->thread[i]);
}

static bool
knows_switches(const struct offcpu *o)
{
	return o->switches || o->facts.has_leaves;
}

enum offcpu_kind
offcpu_kind(struct offcpu *o, const struct perf_record *r)
{
	begin(o);
	if (r->event == o->last)
		return o->kind;
	o->last = r->event;
	o->kind = find_kind(o, r->event);
	if (o->kind == OFFCPU_RAN && !is_clock(o, r->event))
		o->kind = OFFCPU_OTHER;
	return o->kind;
}

/* Records. */

static void
tell_task(struct offcpu *o, const struct perf_record *r)
{
	struct schedule *s = o->schedule;

	/*
	 * What perf tells of the time before the recording has no time; it
	 * tells of perf's own child as well.
	 */
	if (r->time == 0) {
		if (o->cpu_wide || schedule_knows(s, r->tid))
			schedule_exists(s, r->pid, r->tid);
		return;
	}
	switch (r->type) {
	case PERF_FORK:
		if (o->cpu_wide || o->events->event[0]->inherited)
			schedule_fork(s, r->pid, r->tid, r->ptid, r->time);
		break;
	case PERF_EXIT:
		if (schedule_knows(s, r->tid))
			schedule_exit(s, r->tid, r->time);
		break;
	default:
		if (r->misc & PERF_COMM_EXEC)
			schedule_exec(s, r->pid, r->tid, r->cpu, r->time);
		break;
	}
}

static void
tell_switch(struct offcpu *o, const struct perf_record *r)
{
	if (r->tid <= 0)
		return; /* the idle task */
	if (r->misc & PERF_SWITCH_OUT)
		schedule_out(o->schedule, r->pid, r->tid, r->time,
			     r->misc & PERF_SWITCH_PREEMPT ? WHY_RUNNABLE :
							     WHY_WAITS);
	else
		schedule_in(o->schedule, r->pid, r->tid, r->cpu, r->time);
}

static bool
field(const struct offcpu *o, struct trace_field f, const struct perf_record *r,
      int64_t *value)
{
	return tracefmt_get(&o->features->formats, f, r->raw, value);
}

/*
 * Numbers of threads in tracepoints are those of the first name space; where
 * perf ran in another one, they are none of those that it recorded.  A thread
 * that is no more has no number when it leaves.
 */
static bool
next_thread(const struct offcpu *o, const struct perf_record *r, int64_t *next)
{
	int64_t previous;

	return field(o, o->prev_pid, r, &previous) &&
	       (r->tid < 0 || previous == r->tid) &&
	       field(o, o->next_pid, r, next) && *next > 0 &&
	       (o->cpu_wide || schedule_knows(o->schedule, *next));
}

/* A thread is on its CPU as it is sampled. */
static void
see(struct offcpu *o, const struct perf_record *r)
{
	schedule_seen(o->schedule, r->pid, r->tid, r->cpu, r->time);
	if (r->event->sample_type & PERF_CGROUP)
		schedule_group(o->schedule, r->tid, r->cgroup);
}

/* A thread leaves its CPU, to another one. */
static void
tell_leaving(struct offcpu *o, const struct perf_record *r,
	     const struct callstack *stack)
{
	enum schedule_why why = WHY_UNKNOWN;
	int64_t state = 0, next;

	if (field(o, o->prev_state, r, &state))
		why = state & WAITNAME_STATES ? WHY_WAITS : WHY_RUNNABLE;
	if (r->tid > 0) {
		see(o, r);
		schedule_stack(o->schedule, r->tid, stack, state);
	}
	if (o->switches)
		return; /* its record comes, and is exact */
	if (r->tid > 0)
		schedule_out(o->schedule, r->pid, r->tid, r->time, why);
	if (next_thread(o, r, &next))
		schedule_in(o->schedule, -1, next, r->cpu, r->time);
}

static void
tell_sample(struct offcpu *o, const struct perf_record *r,
	    const struct callstack *stack)
{
	enum offcpu_kind kind = offcpu_kind(o, r);
	int64_t woken;

	if (kind == OFFCPU_LEAVES) {
		tell_leaving(o, r, stack);
		return;
	}
	if (r->tid > 0)
		see(o, r);
	if (kind == OFFCPU_WAKES && field(o, o->woken_pid, r, &woken))
		schedule_wake(o->schedule, woken, r->time);
}

static void
take_time(struct offcpu *o, const struct perf_record *r)
{
	if (!r->has_time)
		errx(2, "waits cannot be told of a recording without times");
	if (r->time == 0)
		return;
	schedule_begin(o->schedule, r->time);
	if (r->time > o->newest)
		o->newest = r->time;
}

void
offcpu_tell(struct offcpu *o, const struct perf_record *r,
	    const struct callstack *stack)
{
	begin(o);
	if (!knows_switches(o))
		return;
	take_time(o, r);
	switch (r->type) {
	case PERF_SAMPLE:
		tell_sample(o, r, stack);
		break;
	case PERF_SWITCH:
	case PERF_SWITCH_CPU_WIDE:
		tell_switch(o, r);
		break;
	case PERF_COMM:
	case PERF_FORK:
	case PERF_EXIT:
		tell_task(o, r);
		break;
	default:
		break;
	}
}

/* The time between two samples, as far as it is known. */
static uint64_t
interval(const struct offcpu *o, const struct perf_record *r)
{
	const struct perf_event *ev = r->event;

	if (ev->type == PERF_TYPE_SOFTWARE)
		return r->period;
	if (ev->hz > 0)
		return 1000000000 / ev->hz;
	if (!knows_switches(o) || ev->user_only)
		errx(2,
		     "--wall: it is not known for how long a sample of %.*s "
		     "stands: record cpu-clock, or with -F",
		     (int)ev->name.len, ev->name.p);
	return UINT64_MAX;
}

uint64_t
offcpu_weigh(struct offcpu *o, const struct perf_record *r)
{
	uint64_t ns = interval(o, r);

	begin(o);
	if (knows_switches(o)) {
		take_time(o, r);
		if (r->tid > 0)
			see(o, r);
		ns = r->tid > 0 ? schedule_sample(o->schedule, r->pid, r->tid,
						  r->cpu, r->time, ns) :
				  0;
	}
	o->facts.total += ns;
	o->facts.sampled += ns;
	return ns;
}

/* Spans. */

static const struct code *
leaf_of(struct offcpu *o, const struct span *span)
{
	o->text.len = 0;
	buf_str(&o->text, STR("state:"));
	buf_str(&o->text, waitname(span));
	return resolver_mark(o->resolver, buf_slice(&o->text));
}

static void
count_span(struct offcpu *o, const struct span *span)
{
	o->facts.total += span->ns;
	if (span->kind == SPAN_UNKNOWN)
		o->facts.unknown += span->ns;
	if (span->kind == SPAN_RAN)
		o->facts.unsampled += span->ns;
	if (span->kind == SPAN_WAIT) {
		o->facts.waits++;
		o->facts.bare += span->stack == NULL;
	}
}

bool
offcpu_next(struct offcpu *o, struct span *span, const struct code **leaf)
{
	while (o->schedule != NULL && schedule_next(o->schedule, span)) {
		count_span(o, span);
		*leaf = o->facts.wall ? leaf_of(o, span) : NULL;
		if (o->facts.wall || span->kind == SPAN_WAIT)
			return true;
	}
	return false;
}

void
offcpu_end(struct offcpu *o)
{
	begin(o);
	if (knows_switches(o))
		schedule_end(o->schedule, o->newest, !o->cpu_wide);
	else if (!o->facts.wall && !o->facts.has_waited)
		errx(2, "--off-cpu: the recording has no switches of threads: "
			"record with --switch-events, or sched:sched_switch");
}

bool
offcpu_note(struct offcpu *o, struct buf *line)
{
	if (o->schedule == NULL)
		return false;
	o->facts.switches = knows_switches(o);
	o->facts.lost = schedule_lost(o->schedule);
	return waitnote(&o->facts, line);
}
