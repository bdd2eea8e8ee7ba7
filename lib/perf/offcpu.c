/* offcpu.c - when threads ran and when they waited, from perf records. */
#include "perf/offcpu.h"

#include "base/mem.h"
#include "perf/sched_switch.h"

#include <inttypes.h>
#include <stdlib.h>

struct offcpu {
	bool wall;
	bool begun;
	struct resolver *resolver;
	const struct perf_features *features;
	const struct perf_events *events;
	struct sched_switch *schedule;

	/* What the events record. */
	bool switch_records;         /* of all switches */
	bool switch_tracepoint;      /* sched:sched_switch */
	bool has_leaves, has_waited; /* samples of these kinds */
	bool cpu_wide;
	const struct perf_event *clock; /* its samples are time on a CPU */
	struct trace_field prev_pid, prev_state, next_pid, woken_pid;

	/* The last answer of offcpu_kind(). */
	const struct perf_event *last;
	enum offcpu_kind kind;

	uint64_t newest; /* time */
	struct buf text; /* scratch */
	struct buf error;

	/* For the notes. */
	uint64_t waits, without_stack;
	uint64_t total, unknown, sampled, unsampled; /* nanoseconds */
	unsigned notes;                              /* tried so far */
};

struct offcpu *
offcpu_new(bool wall, struct resolver *resolver,
	   const struct perf_features *features,
	   const struct perf_events *events)
{
	struct offcpu *o = mem_zero(1, sizeof(*o));

	o->wall = wall;
	o->resolver = resolver;
	o->features = features;
	o->events = events;
	return o;
}

void
offcpu_free(struct offcpu *o)
{
	if (o == NULL)
		return;
	sched_switch_free(o->schedule);
	buf_free(&o->text);
	buf_free(&o->error);
	free(o);
}

struct str
offcpu_error(const struct offcpu *o)
{
	return buf_slice(&o->error);
}

/* Events. */

static bool
is_tracepoint(const struct offcpu *o, const struct perf_event *ev,
	      struct str name)
{
	const struct trace_format *format;

	if (ev->type != PERF_TYPE_TRACEPOINT)
		return false;
	format = tracefmt_find(&o->features->formats, ev->config);
	return str_eq(format != NULL ? format->name : ev->name, name);
}

static enum offcpu_kind
software_kind(const struct perf_event *ev)
{
	switch (ev->config) {
	case PERF_COUNT_SW_CPU_CLOCK:
	case PERF_COUNT_SW_TASK_CLOCK:
		return OFFCPU_RAN;
	case PERF_COUNT_SW_CONTEXT_SWITCHES:
		return OFFCPU_LEAVES;
	case PERF_COUNT_SW_BPF_OUTPUT:
		return str_starts(ev->name, STR("offcpu-time")) ?
			   OFFCPU_WAITED :
			   OFFCPU_OTHER;
	default:
		return OFFCPU_OTHER;
	}
}

static enum offcpu_kind
event_kind(const struct offcpu *o, const struct perf_event *ev)
{
	/* Counted in a group, without samples of its own. */
	if (ev->period == 0 && ev->hz == 0)
		return OFFCPU_OTHER;
	switch (ev->type) {
	case PERF_TYPE_SOFTWARE:
		return software_kind(ev);
	case PERF_TYPE_TRACEPOINT:
		if (is_tracepoint(o, ev, STR("sched:sched_switch")))
			return OFFCPU_LEAVES;
		if (is_tracepoint(o, ev, STR("sched:sched_waking")) ||
		    is_tracepoint(o, ev, STR("sched:sched_wakeup")))
			return OFFCPU_WAKES;
		return OFFCPU_OTHER;
	case PERF_TYPE_BREAKPOINT:
		return OFFCPU_OTHER;
	default:
		return OFFCPU_RAN;
	}
}

/*
 * Of several events that sample running code, the first counts.  It has one
 * perf_event for each kind of core, which the upper half of config tells apart.
 */
static bool
is_clock(const struct offcpu *o, const struct perf_event *ev)
{
	return o->clock != NULL && ev->type == o->clock->type &&
	       (uint32_t)ev->config == (uint32_t)o->clock->config;
}

static void
find_fields(struct offcpu *o, const struct perf_event *ev)
{
	const struct trace_format *format =
	    ev->type != PERF_TYPE_TRACEPOINT ?
		NULL :
		tracefmt_find(&o->features->formats, ev->config);

	if (format == NULL)
		return;
	if (event_kind(o, ev) == OFFCPU_LEAVES) {
		o->prev_pid = tracefmt_field(format, STR("prev_pid"));
		o->prev_state = tracefmt_field(format, STR("prev_state"));
		o->next_pid = tracefmt_field(format, STR("next_pid"));
	} else if (event_kind(o, ev) == OFFCPU_WAKES) {
		o->woken_pid = tracefmt_field(format, STR("pid"));
	}
}

/* Called at the first record, as a pipe does not describe its events before. */
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
		kind = event_kind(o, ev);
		o->switch_records |= ev->switches;
		o->switch_tracepoint |= kind == OFFCPU_LEAVES &&
					ev->type == PERF_TYPE_TRACEPOINT;
		o->has_leaves |= kind == OFFCPU_LEAVES;
		o->has_waited |= kind == OFFCPU_WAITED;
		if (kind == OFFCPU_RAN && o->clock == NULL)
			o->clock = ev;
		find_fields(o, ev);
	}
	o->schedule = sched_switch_new(o->switch_records ||
				       (o->switch_tracepoint && o->cpu_wide));
	for (i = 0; !o->cpu_wide && i < o->features->nthreads; i++)
		sched_switch_exists(o->schedule, -1, o->features->thread[i]);
}

static bool
has_switches(const struct offcpu *o)
{
	return o->switch_records || o->has_leaves;
}

enum offcpu_kind
offcpu_kind(struct offcpu *o, const struct perf_record *r)
{
	begin(o);
	if (r->event == o->last)
		return o->kind;
	o->last = r->event;
	o->kind = event_kind(o, r->event);
	if (o->kind == OFFCPU_RAN && !is_clock(o, r->event))
		o->kind = OFFCPU_OTHER;
	return o->kind;
}

/* Records. */

static void
add_task(struct offcpu *o, const struct perf_record *r)
{
	struct sched_switch *s = o->schedule;

	/*
	 * perf writes records without a time for what exists before the
	 * recording begins, among them its own child.
	 */
	if (r->time == 0) {
		if (o->cpu_wide || sched_switch_has(s, r->tid))
			sched_switch_exists(s, r->pid, r->tid);
		return;
	}
	switch (r->type) {
	case PERF_RECORD_FORK:
		if (o->cpu_wide || o->events->event[0]->inherited)
			sched_switch_fork(s, r->pid, r->tid, r->ptid, r->time);
		break;
	case PERF_RECORD_EXIT:
		if (sched_switch_has(s, r->tid))
			sched_switch_exit(s, r->tid, r->time);
		break;
	default:
		if (r->misc & PERF_RECORD_MISC_COMM_EXEC)
			sched_switch_exec(s, r->pid, r->tid, r->cpu, r->time);
		break;
	}
}

static void
add_switch(struct offcpu *o, const struct perf_record *r)
{
	if (r->tid <= 0)
		return; /* the idle task */
	if (r->misc & PERF_RECORD_MISC_SWITCH_OUT)
		sched_switch_out(o->schedule, r->pid, r->tid, r->time,
				 r->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT ?
				     SCHED_OFF_RUNNABLE :
				     SCHED_OFF_WAITS);
	else
		sched_switch_in(o->schedule, r->pid, r->tid, r->cpu, r->time);
}

static bool
get_field(const struct offcpu *o, struct trace_field field,
	  const struct perf_record *r, int64_t *value)
{
	return tracefmt_get(&o->features->formats, field, r->raw, value);
}

/*
 * The thread that comes to the CPU.  Tracepoints number threads in the first
 * PID namespace.  If perf ran in another one, its own numbers differ, and the
 * numbers of the tracepoint are of no use.  A thread that has ended has no
 * number when it leaves its CPU.
 */
static bool
get_next_thread(const struct offcpu *o, const struct perf_record *r,
		int64_t *next)
{
	int64_t previous;

	return get_field(o, o->prev_pid, r, &previous) &&
	       (r->tid < 0 || previous == r->tid) &&
	       get_field(o, o->next_pid, r, next) && *next > 0 &&
	       (o->cpu_wide || sched_switch_has(o->schedule, *next));
}

/* A thread that is sampled is on a CPU. */
static void
add_seen(struct offcpu *o, const struct perf_record *r)
{
	sched_switch_seen(o->schedule, r->pid, r->tid, r->cpu, r->time);
	if (r->event->sample_type & PERF_SAMPLE_CGROUP)
		sched_switch_group(o->schedule, r->tid, r->cgroup);
}

/* A thread leaves its CPU to another one. */
static void
add_leaving(struct offcpu *o, const struct perf_record *r,
	    const struct callstack *stack)
{
	enum sched_off off = SCHED_OFF_UNKNOWN;
	int64_t state = 0, next;

	if (get_field(o, o->prev_state, r, &state))
		off = state & SPAN_STATE_WAITS ? SCHED_OFF_WAITS :
						 SCHED_OFF_RUNNABLE;
	if (r->tid > 0) {
		add_seen(o, r);
		sched_switch_stack(o->schedule, r->tid, stack, state);
	}
	if (o->switch_records)
		return; /* a record of the switch follows, and is exact */
	if (r->tid > 0)
		sched_switch_out(o->schedule, r->pid, r->tid, r->time, off);
	if (get_next_thread(o, r, &next))
		sched_switch_in(o->schedule, -1, next, r->cpu, r->time);
}

static void
add_sample(struct offcpu *o, const struct perf_record *r,
	   const struct callstack *stack)
{
	enum offcpu_kind kind = offcpu_kind(o, r);
	int64_t woken;

	if (kind == OFFCPU_LEAVES) {
		add_leaving(o, r, stack);
		return;
	}
	if (r->tid > 0)
		add_seen(o, r);
	if (kind == OFFCPU_WAKES && get_field(o, o->woken_pid, r, &woken))
		sched_switch_wake(o->schedule, woken, r->time);
}

static void
set_error(struct offcpu *o, struct str text)
{
	o->error.len = 0;
	buf_str(&o->error, text);
}

/* False, with an error, if the recording has no times. */
static bool
add_time(struct offcpu *o, const struct perf_record *r)
{
	if (!r->has_time) {
		set_error(o,
			  STR("a recording without times does not show waits"));
		return false;
	}
	if (r->time > 0)
		sched_switch_begin(o->schedule, r->time);
	if (r->time > o->newest)
		o->newest = r->time;
	return true;
}

void
offcpu_add(struct offcpu *o, const struct perf_record *r,
	   const struct callstack *stack)
{
	begin(o);
	if (!has_switches(o) || !add_time(o, r))
		return;
	switch (r->type) {
	case PERF_RECORD_SAMPLE:
		add_sample(o, r, stack);
		break;
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		add_switch(o, r);
		break;
	case PERF_RECORD_COMM:
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		add_task(o, r);
		break;
	default:
		break;
	}
}

/*
 * The most time that a sample stands for: the time between two samples, or
 * UINT64_MAX if only the switches limit it.  False if it is not known.
 */
static bool
sample_interval(const struct offcpu *o, const struct perf_record *r,
		uint64_t *ns)
{
	const struct perf_event *ev = r->event;

	*ns = UINT64_MAX;
	if (ev->type == PERF_TYPE_SOFTWARE)
		*ns = r->period;
	else if (ev->hz > 0)
		*ns = 1000000000 / ev->hz;
	else
		return has_switches(o) && !ev->user_only;
	return true;
}

uint64_t
offcpu_weigh(struct offcpu *o, const struct perf_record *r)
{
	uint64_t ns;

	if (!sample_interval(o, r, &ns)) {
		set_error(o, STR("--wall: the recording does not say how much "
				 "time a sample of "));
		buf_str(&o->error, r->event->name);
		buf_str(&o->error,
			STR(" covers: record cpu-clock, or with -F"));
		return 0;
	}
	begin(o);
	if (has_switches(o)) {
		if (!add_time(o, r))
			return 0;
		if (r->tid > 0)
			add_seen(o, r);
		ns = r->tid > 0 ?
			 sched_switch_sample(o->schedule, r->pid, r->tid,
					     r->cpu, r->time, ns) :
			 0;
	}
	o->total += ns;
	o->sampled += ns;
	return ns;
}

/* Spans. */

static const struct code *
span_leaf(struct offcpu *o, const struct span *span)
{
	o->text.len = 0;
	buf_str(&o->text, STR("state:"));
	buf_str(&o->text, span_name(span));
	return code_intern_mark(resolve_codes(o->resolver),
				buf_slice(&o->text));
}

static void
count_span(struct offcpu *o, const struct span *span)
{
	o->total += span->ns;
	if (span->kind == SPAN_UNKNOWN)
		o->unknown += span->ns;
	if (span->kind == SPAN_RAN)
		o->unsampled += span->ns;
	if (span->kind == SPAN_WAIT) {
		o->waits++;
		o->without_stack += span->stack == NULL;
	}
}

bool
offcpu_next(struct offcpu *o, struct span *span, const struct code **leaf)
{
	while (o->schedule != NULL && sched_switch_next(o->schedule, span)) {
		count_span(o, span);
		*leaf = o->wall ? span_leaf(o, span) : NULL;
		if (o->wall || span->kind == SPAN_WAIT)
			return true;
	}
	return false;
}

void
offcpu_end(struct offcpu *o)
{
	begin(o);
	if (has_switches(o))
		sched_switch_end(o->schedule, o->newest, !o->cpu_wide);
	else if (!o->wall && !o->has_waited)
		set_error(
		    o,
		    STR("--off-cpu: the recording has no thread switches: "
			"record with --switch-events, or sched:sched_switch"));
}

/* Notes. */

static bool
note_switches(const struct offcpu *o, struct buf *line)
{
	const uint64_t lost = sched_switch_lost(o->schedule);

	if (!has_switches(o) && o->wall && !o->has_waited) {
		buf_str(line,
			STR("the recording has no thread switches, so it does "
			    "not show waits: record with --switch-events"));
		return true;
	}
	if (lost > 0)
		buf_printf(line,
			   "%" PRIu64 " %s lost while recording: record with a "
			   "larger -m",
			   lost,
			   str_plural(lost, "thread switch was",
				      "thread switches were"));
	return lost > 0;
}

static double
percent(uint64_t part, uint64_t rest)
{
	return part == 0 ? 0 : 100 * (double)part / (double)(part + rest);
}

static bool
note_unknown(const struct offcpu *o, struct buf *line)
{
	double share = percent(o->unknown, o->total - o->unknown);

	if (share < 0.1)
		return false;
	buf_printf(
	    line,
	    "%.1f %% of the threads' time is unknown, because their return to "
	    "a CPU was not recorded: record with --switch-events",
	    share);
	return true;
}

/* Time on CPUs without samples to say what it was for. */
static bool
note_unsampled(const struct offcpu *o, struct buf *line)
{
	double share = percent(o->unsampled, o->sampled);

	if (!o->wall || o->clock == NULL || share < 10)
		return false;
	buf_printf(line, "%.0f %% of the time on CPUs has no samples: ", share);
	buf_str(line, o->clock->user_only ?
			  STR("kernel samples need permission; see "
			      "perf_event_paranoid in perf_event_open(2)") :
			  STR("record with a higher -F"));
	return true;
}

static bool
note_without_stack(const struct offcpu *o, struct buf *line)
{
	if (o->without_stack == 0 || o->without_stack < o->waits)
		return false;
	buf_str(line, STR("no stacks of waits were recorded: "));
	buf_str(line, o->has_leaves ?
			  STR("kernel stacks need permission; see "
			      "perf_event_paranoid in perf_event_open(2)") :
			  STR("record with -e context-switches/period=1/ or "
			      "-e sched:sched_switch, too"));
	return true;
}

bool
offcpu_note(struct offcpu *o, struct buf *line)
{
	static bool (*const notes[])(const struct offcpu *, struct buf *) = {
		note_switches, note_unknown, note_unsampled, note_without_stack
	};

	while (o->schedule != NULL && o->notes < sizeof(notes) / sizeof(*notes))
		if (notes[o->notes++](o, line))
			return true;
	return false;
}
