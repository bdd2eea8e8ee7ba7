/* recorder.c - a recording, from its first event to its last. */
#include "record/recorder.h"

#include "base/mem.h"
#include "os/clock.h"
#include "perfdata/perfabi.h"
#include "record/recorder-internal.h"
#include "record/sample_layout.h"
#include "record/synthesis.h"
#include "record/tracepoints.h"

#include <err.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

/* The longest time that records stay in the rings, in ms. */
enum { PASS_MS = 250 };

/* The same while a call is waited for, which may soon be dropped. */
enum { WATCH_MS = 20 };

/* Offsets in records: of the thread of a fork or an exit, of a loss' count. */
enum { AT_TASK_TID = 16, AT_LOST_COUNT = 16 };

/* Descriptors for all threads on all CPUs. */
static void
raise_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

struct recorder *
recorder_new(struct record_plan *plan, double max_cpu)
{
	struct recorder *r = mem_zero(1, sizeof(*r));

	raise_limit();
	r->plan = plan;
	r->max_cpu = max_cpu;
	r->times = 1;
	r->sampled = mem_zero(plan->counters.n, sizeof(*r->sampled));
	r->skipped = mem_zero(plan->counters.n, sizeof(*r->skipped));
	r->counters = counters_new(&plan->counters);
	r->out = &r->early;
	record_wait_open(&r->wait);
	return r;
}

void
recorder_free(struct recorder *r)
{
	counters_free(r->counters);
	perf_stream_free(&r->stream);
	buf_free(&r->early);
	u64map_free(&r->tasks);
	free(r->pids.pid);
	free(r->opened.pid);
	free(r->skipped);
	free(r->sampled);
	newest_records_free(&r->newest);
	record_wait_close(&r->wait);
	free(r);
}

void
recorder_keep_newest(struct recorder *r, uint64_t bytes)
{
	r->newest.size = bytes;
}

static bool
find_event(const struct recorder *r, struct str name, size_t *event)
{
	const struct event_requests *e = r->plan->names;

	for (*event = 0; *event < e->n; ++*event) {
		if (str_eq(e->event[*event].name, name))
			return true;
	}
	return false;
}

bool
recorder_watch(struct recorder *r, struct call_watch *watch)
{
	r->watch = watch;
	return find_event(r, watch->enter, &r->enter) &&
	       find_event(r, watch->leave, &r->leave);
}

/* Records. */

uint32_t
recorder_task_state(const struct recorder *r, int64_t tid)
{
	uint32_t state = TASK_GONE;

	u64map_get(&r->tasks, (uint64_t)tid, &state);
	return state;
}

static void
note_task(struct recorder *r, uint32_t type, const char *bytes)
{
	uint32_t tid;

	memcpy(&tid, bytes + AT_TASK_TID, sizeof(tid));
	if (type == PERF_RECORD_EXIT)
		u64map_put(&r->tasks, tid, TASK_GONE);
	else if (recorder_task_state(r, tid) == TASK_GONE)
		u64map_put(&r->tasks, tid, TASK_INHERITED);
}

static void
note_loss(struct recorder *r, const char *bytes)
{
	uint64_t lost;

	memcpy(&lost, bytes + AT_LOST_COUNT, sizeof(lost));
	r->counts.lost += lost;
}

/*
 * Whether a record is a copy.  A thread that began while the events of its
 * creator were being opened may have inherited some of them, and had its own
 * opened as well: only its own count.
 */
static bool
is_copy(const struct recorder *r, const struct sample_ids *ids, int64_t owner)
{
	return owner > 0 && owner != ids->tid &&
	       recorder_task_state(r, ids->tid) == TASK_OPENED;
}

/* Only samples of a frequency are one like the other. */
static bool
is_thinned(const struct recorder *r, size_t event)
{
	return r->times > 1 &&
	       r->plan->counters.attr[event].flags & PERF_ATTR_FREQ;
}

/* Whether another sample will stand for this one, see lower_rate(). */
static bool
is_left_out(struct recorder *r, size_t event)
{
	if (!is_thinned(r, event))
		return false;
	if (++r->skipped[event] < r->times)
		return true;
	r->skipped[event] = 0;
	return false;
}

static void
write_record(struct recorder *r, const void *bytes, size_t size, size_t event)
{
	const struct sample_layout layout = {
		.sample_type = r->plan->counters.attr[event].sample_type,
		.regs = r->plan->regs,
		.usual_stack = r->plan->stack,
		.times = is_thinned(r, event) ? r->times : 1
	};

	struct perf_header h;
	struct buf *out = r->out;

	memcpy(&h, bytes, sizeof(h));
	if (r->newest.size > 0)
		out = newest_records_for(&r->newest, h.type);
	sample_layout_write(out, bytes, size, counters_id(r->counters, event),
			    &layout);
	if (r->newest.size > 0)
		newest_records_trim(&r->newest);
}

/* The probes of a call that is watched. */
static void
note_call(struct recorder *r, const struct sample_ids *ids, size_t event)
{
	if (r->watch == NULL || (event != r->enter && event != r->leave))
		return;
	call_watch_add(r->watch,
		       &(struct call_edge){ .time = ids->time,
					    .tid = ids->tid,
					    .ends = event == r->leave });
}

/* Whether the counter of an event says what its samples ought to add up to. */
static bool
is_compared(const struct recorder *r, const struct counter_attr *a)
{
	return r->command > 0 && a->flags & PERF_ATTR_FREQ &&
	       !(a->flags & PERF_ATTR_EXCLUDE_USER);
}

/* A clock counts time in the kernel even if that may not be sampled. */
static bool
counts_kernel(const struct counter_attr *a)
{
	return a->type == PERF_TYPE_SOFTWARE &&
	       a->flags & PERF_ATTR_EXCLUDE_KERNEL;
}

static void
note_sampled(struct recorder *r, const void *bytes, size_t size, size_t event)
{
	const struct counter_attr *a = &r->plan->counters.attr[event];

	r->sampled[event] += r->times *
			     sample_layout_period(bytes, size, a->sample_type);
}

/*
 * Add samples without a stack.  Those of a clock have its period, as others do:
 * a few with a weight of their own would be taken for an uneven event.
 */
static void
add_bare(struct recorder *r, const struct counter_attr *a,
	 const struct sample_ids *ids, uint64_t units)
{
	const uint64_t second = 1000000000, most = 100000;
	const bool clock = a->type == PERF_TYPE_SOFTWARE &&
			   (a->config == PERF_COUNT_SW_CPU_CLOCK ||
			    a->config == PERF_COUNT_SW_TASK_CLOCK);
	uint64_t period = clock && a->rate > 0 ? second / a->rate : units;
	uint64_t n;

	if (period == 0 || units / period > most)
		period = units;
	for (n = units / period; n > 1; n--, units -= period)
		sample_layout_add_bare(r->out, ids, period, a->sample_type);
	sample_layout_add_bare(r->out, ids, units, a->sample_type);
}

/*
 * The first sample of a thread comes after a whole period: of 600 processes
 * that take 3 ms each, 99 samples a second show none.  Samples without a stack
 * stand for all of that.  The kernel could report each thread, by inherit_stat,
 * but then Linux 6.18 loses events of threads that end together.
 */
static void
add_unsampled(struct recorder *r)
{
	struct sample_ids ids = { .pid = r->command,
				  .tid = r->command,
				  .time = clock_ns(CLOCK_MONOTONIC) };
	/* ns, or cycles: a process that hardly runs has no samples. */
	const uint64_t least = r->pids.n > 0 ? 10000000 : 0;
	const struct counter_attr *a;
	uint64_t counted, rest;
	size_t i;

	for (i = 0; i < r->plan->counters.n; i++) {
		a = &r->plan->counters.attr[i];
		if (!is_compared(r, a))
			continue;
		counted = counters_value(r->counters, i);
		if (counted <= r->sampled[i] + least)
			continue;
		rest = counted - r->sampled[i];
		ids.id = counters_id(r->counters, i);
		if (!counts_kernel(a))
			add_bare(r, a, &ids, rest);
		if (i == 0) {
			r->counts.counted = counted;
			r->counts.unsampled = rest;
			r->counts.with_kernel = counts_kernel(a);
		}
	}
}

static void
add_record(void *arg, const void *bytes, size_t size)
{
	struct recorder *r = arg;
	struct sample_ids ids = { 0 };
	struct perf_header h;
	int64_t owner = 0;
	size_t event = 0;

	memcpy(&h, bytes, sizeof(h));
	/* All records of our events have ids; see the plan. */
	if (!sample_layout_read(bytes, size, &ids))
		return;
	counters_find(r->counters, ids.id, &event, &owner);
	if ((h.type == PERF_RECORD_SAMPLE || h.type == PERF_RECORD_SWITCH) &&
	    is_copy(r, &ids, owner))
		return;
	switch (h.type) {
	case PERF_RECORD_SAMPLE:
		if (is_left_out(r, event))
			return;
		note_sampled(r, bytes, size, event);
		note_call(r, &ids, event);
		r->counts.samples++;
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		note_task(r, h.type, bytes);
		break;
	case PERF_RECORD_LOST:
		note_loss(r, bytes);
		break;
	case PERF_RECORD_THROTTLE:
		r->counts.throttled++;
		break;
	default:
		break;
	}
	write_record(r, bytes, size, event);
}

/* Read all rings; returns the number of records. */
size_t
recorder_drain(struct recorder *r)
{
	struct ring *ring;
	size_t i, n, records = 0;

	ring = counters_rings(r->counters, &n);
	for (i = 0; i < n; i++) {
		if (ring[i].page != NULL)
			records += ring_drain(&ring[i], add_record, r);
	}
	return records;
}

static void
drain_between(void *arg)
{
	recorder_drain(arg);
}

/* The beginning. */

static void
add_moment(struct recorder *r)
{
	if (r->plan->counters.attr[0].flags & PERF_ATTR_CONTEXT_SWITCH)
		perf_stream_moment(&r->stream, clock_ns(CLOCK_MONOTONIC),
				   counters_id(r->counters, 0));
}

static void
add_processes(struct recorder *r)
{
	const uint64_t id = counters_id(r->counters, 0);
	struct synthesis *s = synthesis_new(&r->stream, id);
	size_t i;

	if (r->whole_machine && !synthesis_machine(s, drain_between, r))
		err(2, "/proc");
	for (i = 0; i < r->pids.n; i++) {
		synthesis_process(s, r->pids.pid[i]);
		recorder_drain(r);
	}
	synthesis_free(s);
}

void
recorder_begin(struct recorder *r, int fd, bool compress, char *const argv[])
{
	struct counter_attr attr;
	struct buf formats = { 0 };
	size_t i;

	perf_stream_begin(&r->stream, fd, r->wait.signals, compress);
	for (i = 0; i < r->plan->counters.n; i++) {
		attr = record_plan_file_attr(r->plan, i);
		perf_stream_event(&r->stream, &attr,
				  counters_id(r->counters, i),
				  r->plan->names->event[i].name);
	}
	tracepoints_formats(&formats, r->plan->names);
	perf_stream_formats(&r->stream, buf_slice(&formats));
	buf_free(&formats);
	perf_stream_features(&r->stream, argv);
	if (r->opened.n > 0)
		perf_stream_threads(&r->stream, r->opened.pid, r->opened.n);
	perf_stream_kernel(&r->stream, counters_id(r->counters, 0));
	add_processes(r);
	/* The newest samples are of later. */
	if (r->pids.n > 0 && r->newest.size == 0)
		add_moment(r);
	perf_stream_ready(&r->stream);
	r->out = perf_stream_records(&r->stream);
	buf_str(r->out, buf_slice(&r->early));
	r->early.len = 0;
	perf_stream_flush(&r->stream);
}

/* The loop. */

static bool
has_ended(const struct recorder *r, struct launch *command)
{
	if (command->pid != 0)
		return launch_has_ended(command);
	return !r->whole_machine && counters_have_ended(r->counters);
}

/* The last records, and the kernel's own count of what was lost. */
static void
finish(struct recorder *r)
{
	uint64_t lost, all = 0;
	size_t i;

	counters_disable(r->counters);
	recorder_drain(r);
	if (r->watch != NULL) {
		call_watch_pass(r->watch, UINT64_MAX);
		call_watch_pass(r->watch, UINT64_MAX);
	}
	if (r->newest.size > 0)
		newest_records_write(&r->newest, r->out);
	add_moment(r);
	add_unsampled(r);
	for (i = 0; i < r->plan->counters.n; i++) {
		lost = counters_lost(r->counters, i);
		all += lost;
		if (lost > 0)
			perf_stream_lost(&r->stream, lost,
					 counters_id(r->counters, i));
	}
	if (all > r->counts.lost)
		r->counts.lost = all;
	perf_stream_round(&r->stream);
	/* A reader that does not read could keep us for ever. */
	record_wait_unblock();
	perf_stream_finish(&r->stream);
}

/*
 * Half of the samples from now on, with twice the weight.  The kernel's rate
 * stays: of events that a task inherited it cannot be changed, and tasks would
 * differ.
 */
static void
lower_rate(struct recorder *r)
{
	enum { MOST = 1 << 10 };

	if (r->max_cpu <= 0 || !overhead_exceeds(&r->overhead, r->max_cpu) ||
	    r->times >= MOST)
		return;
	r->times *= 2;
}

/* Read all rings once; returns whether a call took long. */
static bool
pass(struct recorder *r)
{
	const uint64_t began = clock_ns(CLOCK_MONOTONIC);

	if (recorder_drain(r) > 0 && r->newest.size == 0)
		perf_stream_round(&r->stream);
	perf_stream_flush(&r->stream);
	lower_rate(r);
	return r->watch != NULL && call_watch_pass(r->watch, began);
}

enum recorder_end
recorder_run(struct recorder *r, struct launch *command, double seconds)
{
	const double begin = clock_seconds(CLOCK_MONOTONIC);
	const int longest = r->watch != NULL ? WATCH_MS : PASS_MS;
	double left = seconds;
	bool ended = false;
	struct ring *ring;
	size_t n;

	overhead_begin(&r->overhead);
	ring = counters_rings(r->counters, &n);
	record_wait_rings(&r->wait, ring, n);
	while (!ended && !r->wait.stopped && r->stream.output.error == 0) {
		record_wait(&r->wait, seconds > 0 && left < longest / 1e3 ?
					  (int)(left * 1e3) + 1 :
					  longest);
		/* First look, then read: what is left is then complete. */
		ended = has_ended(r, command);
		ended = pass(r) || ended;
		left = begin + seconds - clock_seconds(CLOCK_MONOTONIC);
		ended = ended || (seconds > 0 && left <= 0);
	}
	finish(r);
	if (r->stream.output.error != 0)
		return RECORDER_FAILED;
	return r->wait.stopped ? RECORDER_SIGNAL : RECORDER_DONE;
}

struct recorder_counts
recorder_counts(const struct recorder *r)
{
	struct recorder_counts counts = r->counts;

	counts.bytes = r->stream.output.bytes;
	counts.times = r->times;
	counts.cpu = overhead_seconds();
	counts.cpu_share = overhead_share(&r->overhead);
	return counts;
}

uint64_t
recorder_value(const struct recorder *r, size_t event)
{
	return counters_value(r->counters, event);
}

int
recorder_error(const struct recorder *r)
{
	return r->stream.output.error;
}
