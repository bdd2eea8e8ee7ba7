/* record_plan.c - which events to open, as far as the kernel permits them. */
#include "record/record_plan.h"

#include "arch/arch.h"
#include "base/mem.h"
#include "perfdata/perfabi.h"
#include "record/refusal.h"
#include "record/sample_layout.h"
#include "record/uprobe.h"
#include "sampler/procfile.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* PERF_COUNT_SW_DUMMY: counts nothing, and every kernel has it. */
enum { DUMMY = 9 };

/* Bounds of a ring buffer, in bytes. */
enum { SMALLEST_RING = 256 << 10, LARGEST_RING = 16 << 20 };

/* What newer kernels add, the newest first. */
static const struct {
	uint64_t flag, read_format;
} optional[] = {
	{ 0, PERF_FORMAT_LOST },        /* 6.0 */
	{ PERF_ATTR_BUILD_ID, 0 },      /* 5.12 */
	{ PERF_ATTR_KSYMBOL, 0 },       /* 5.1 */
	{ PERF_ATTR_NAMESPACES, 0 },    /* 4.12 */
	{ PERF_ATTR_CONTEXT_SWITCH, 0 } /* 4.3 */
};

/* Registers that unwinding needs; the others of perf's are not tracked. */
static uint64_t
registers(void)
{
	const struct arch *a = arch_host();
	uint64_t mask = 0;
	unsigned i;

	for (i = 0; a != NULL && i < a->perf.n; i++) {
		if (a->perf.number[i] != ARCH_OTHER)
			mask |= UINT64_C(1) << i;
	}
	return mask;
}

/*
 * The kernel's copy of a stack, for events of a frequency.  It is 32 KB, with
 * which 99.7 % of the stacks of g++ are whole (8 KB: 94 %), where a second of
 * samples fits into 4 MB for each CPU, of which there are few.  The recorder
 * writes only what a stack has, and no more than usual where a chain of frame
 * pointers continues: sample_layout.c.
 */
static uint32_t
largest_copy(const struct record_plan_options *options)
{
	const uint64_t cpus = (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);
	uint32_t size = options->stack;

	while (options->grow && size > 0 && size < 32768 && options->hz > 0 &&
	       options->hz * size * 2 <= 4 << 20 && cpus * size <= 256 << 10)
		size *= 2;
	return size;
}

/* What all events have in common, and the first one records besides. */
static struct counter_attr
base_attr(const struct record_plan *plan,
	  const struct record_plan_options *options)
{
	struct counter_attr a = { .sample_type = plan->sample_type,
				  .regs_user = plan->regs,
				  .stack_user = largest_copy(options),
				  .clock = CLOCK_MONOTONIC,
				  .read_format = PERF_FORMAT_LOST };

	a.flags = PERF_ATTR_SAMPLE_ID_ALL | PERF_ATTR_EXCLUDE_GUEST |
		  PERF_ATTR_USE_CLOCKID | PERF_ATTR_WATERMARK | PERF_ATTR_MMAP |
		  PERF_ATTR_MMAP2 | PERF_ATTR_COMM | PERF_ATTR_COMM_EXEC |
		  PERF_ATTR_TASK | PERF_ATTR_KSYMBOL | PERF_ATTR_NAMESPACES |
		  PERF_ATTR_BUILD_ID;
	if (!options->whole_machine)
		a.flags |= PERF_ATTR_INHERIT;
	if (options->on_exec)
		a.flags |= PERF_ATTR_DISABLED | PERF_ATTR_ENABLE_ON_EXEC;
	/* perf unwinds by sections that lie in mappings of data. */
	if (options->stack > 0)
		a.flags |= PERF_ATTR_MMAP_DATA;
	if (options->wall)
		a.flags |= PERF_ATTR_CONTEXT_SWITCH;
	return a;
}

static int64_t
task(const struct record_plan_options *options)
{
	return options->whole_machine ? -1 : 0;
}

/* Give up what this user may not have; false if nothing is left. */
static bool
give_up(struct record_plan *plan, struct counter_attr *a)
{
	if (a->flags & PERF_ATTR_NAMESPACES) {
		a->flags &= ~PERF_ATTR_NAMESPACES;
		return true;
	}
	if (a->flags & PERF_ATTR_EXCLUDE_KERNEL)
		return false;
	a->flags |= PERF_ATTR_EXCLUDE_KERNEL | PERF_ATTR_EXCLUDE_HV;
	plan->no_kernel = true;
	return true;
}

/* Drop what an older kernel does not know; false if nothing is left. */
static bool
drop(struct counter_attr *a, size_t *step)
{
	if (*step == sizeof(optional) / sizeof(*optional))
		return false;
	a->flags &= ~optional[*step].flag;
	a->read_format &= ~optional[*step].read_format;
	++*step;
	return true;
}

/* Find out what the kernel knows and permits; false with errno set. */
static bool
negotiate(struct record_plan *plan, const struct record_plan_options *options,
	  struct counter_attr *a)
{
	struct counter_attr dummy;
	size_t step = 0;
	int fd, error;

	for (;;) {
		dummy = *a;
		dummy.type = PERF_TYPE_SOFTWARE;
		dummy.config = DUMMY;
		fd = counter_open(&dummy, task(options),
				  options->whole_machine ? 0 : -1, -1);
		if (fd >= 0)
			break;
		error = errno;
		if (error == EACCES || error == EPERM) {
			if (give_up(plan, a))
				continue;
		} else if (error == EINVAL || error == E2BIG) {
			if (drop(a, &step))
				continue;
		}
		errno = error;
		return false;
	}
	close(fd);
	return true;
}

/* The kernel refuses a higher rate; it lowers this limit under load. */
static uint64_t
highest_rate(void)
{
	struct buf text = { 0 };
	uint64_t limit = 0;
	struct str s;

	if (procfile_read(&text,
			  "/proc/sys/kernel/perf_event_max_sample_rate")) {
		s = buf_slice(&text);
		str_u64(str_cut(&s, '\n'), &limit);
	}
	buf_free(&text);
	return limit;
}

static void
set_rate(struct record_plan *plan, const struct record_plan_options *options,
	 struct counter_attr *a)
{
	const uint64_t limit = highest_rate();

	a->rate = options->hz > 0 ? options->hz : options->period;
	if (options->hz == 0)
		return;
	a->flags |= PERF_ATTR_FREQ;
	if (limit > 0 && a->rate > limit)
		a->rate = plan->lowered_hz = limit;
}

/* Room for a second of samples; the kernel locks it in memory. */
static uint64_t
ring_size(const struct record_plan_options *options, size_t events)
{
	const uint64_t rest = 1500; /* of a sample: chain, registers, ids */
	const uint64_t hz = options->hz > 0 ? options->hz : 1000;
	const uint64_t want = hz * (largest_copy(options) + rest) * events;
	uint64_t size = SMALLEST_RING;

	while (size < want && size < LARGEST_RING)
		size *= 2;
	/* Switches come in bursts, thousands a second. */
	return options->wall && size < LARGEST_RING / 2 ? 4 * size : size;
}

/* Whether the kernel itself counts an event, which is no clock. */
static bool
is_counted_by_kernel(uint32_t type, uint64_t config)
{
	return type == PERF_TYPE_TRACEPOINT ||
	       (type == PERF_TYPE_SOFTWARE &&
		config != PERF_COUNT_SW_CPU_CLOCK &&
		config != PERF_COUNT_SW_TASK_CLOCK && config != DUMMY);
}

/*
 * If samples of an event that the kernel itself counts have their period, the
 * kernel takes one at each event: perf_swevent_event() in kernel/events/core.c.
 */
static bool
ignores_period(const struct counter_attr *a)
{
	return a->rate > 1 && !(a->flags & PERF_ATTR_FREQ) &&
	       is_counted_by_kernel(a->type, a->config);
}

/*
 * These events have a period in place of a frequency, which is meant for the
 * clock beside them.  With a frequency, the kernel reports the period that is
 * to come with the sample that ends one: on Linux 6.18, 2112 page faults of a
 * compiler became 28,000 in 6 samples.  Page faults can be a million a second.
 */
static uint64_t
own_period(const struct event_request *e)
{
	enum { PAGE_FAULTS = 2, MINOR_FAULTS = 5 };

	return e->type == PERF_TYPE_SOFTWARE &&
		       (e->config == PAGE_FAULTS || e->config == MINOR_FAULTS) ?
		   64 :
		   1;
}

static void
set_event_rate(struct counter_attr *a, const struct event_request *e,
	       const struct record_plan_options *options)
{
	if (options->stat) {
		a->rate = INT64_MAX;
		a->flags &= ~PERF_ATTR_FREQ;
	} else if (e->hz > 0) {
		a->rate = e->hz;
		a->flags |= PERF_ATTR_FREQ;
	} else if (e->period > 0) {
		a->rate = e->period;
		a->flags &= ~PERF_ATTR_FREQ;
	} else if (a->flags & PERF_ATTR_FREQ &&
		   is_counted_by_kernel(e->type, e->config)) {
		a->rate = own_period(e);
		a->flags &= ~PERF_ATTR_FREQ;
	}
}

/* What a probe copies of each stack: less than others, or nothing. */
static void
set_probe_stack(struct counter_attr *a, const struct uprobe *u)
{
	const uint64_t copy = PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;

	if (u == NULL || !u->has_stack)
		return;
	if (u->stack < a->stack_user)
		a->stack_user = u->stack;
	if (u->stack == 0) {
		a->sample_type &= ~copy;
		a->flags |= PERF_ATTR_EXCLUDE_CALLCHAIN_USER |
			    PERF_ATTR_EXCLUDE_CALLCHAIN_KERNEL;
	}
}

/* The first event carries the records of tasks for all. */
static struct counter_attr
event_attr(const struct counter_attr *base,
	   const struct record_plan_options *options,
	   const struct event_request *e, size_t number)
{
	const uint64_t tracking = PERF_ATTR_MMAP | PERF_ATTR_MMAP2 |
				  PERF_ATTR_COMM | PERF_ATTR_COMM_EXEC |
				  PERF_ATTR_TASK | PERF_ATTR_KSYMBOL |
				  PERF_ATTR_NAMESPACES | PERF_ATTR_BUILD_ID |
				  PERF_ATTR_MMAP_DATA |
				  PERF_ATTR_CONTEXT_SWITCH;
	struct counter_attr a = *base;

	a.type = e->type;
	a.config = e->config;
	a.config1 = e->config1;
	a.config2 = e->config2;
	if (e->type == PERF_TYPE_TRACEPOINT)
		a.sample_type |= PERF_SAMPLE_RAW;
	a.flags |= e->excludes;
	set_event_rate(&a, e, options);
	/* Thousands of these come in a second. */
	if (!(a.flags & PERF_ATTR_FREQ) && a.stack_user > options->stack)
		a.stack_user = options->stack;
	set_probe_stack(&a, e->uprobe);
	if (ignores_period(&a))
		a.sample_type &= ~(uint64_t)PERF_SAMPLE_PERIOD;
	a.flags |= (uint64_t)e->precise << PERF_ATTR_PRECISE_SHIFT;
	if (number > 0)
		a.flags &= ~tracking;
	/* Members of a group count while its leader does. */
	if (e->leader != number)
		a.flags &= ~(PERF_ATTR_DISABLED | PERF_ATTR_ENABLE_ON_EXEC);
	return a;
}

/*
 * Open the event for this process, on all CPUs; less precisely, if need be.
 * False with errno set.
 */
static bool
try_event(struct counter_attr *a, const struct event_request *e,
	  const struct record_plan_options *options)
{
	struct counters_plan one = { a, e, 1, 0 };
	struct counters *c = counters_new(&one);
	const uint64_t step = UINT64_C(1) << PERF_ATTR_PRECISE_SHIFT;
	unsigned precise = e->precise;
	int error = 0;
	bool ok;

	while (!(ok = counters_try(c, task(options)))) {
		error = errno;
		if (e->exact || precise == 0 || error == EACCES ||
		    error == EPERM)
			break;
		precise--;
		a->flags -= step;
	}
	counters_free(c);
	errno = error;
	return ok;
}

/* Plan the event with a number; false with errno set if it does not work. */
static bool
add_event(struct record_plan *plan, const struct counter_attr *base,
	  const struct record_plan_options *options, size_t i)
{
	const struct event_request *e = &plan->names->event[i];
	struct counters_plan *c = &plan->counters;

	c->attr = mem_grow(c->attr, &plan->attrs, i + 1, sizeof(*c->attr));
	c->attr[i] = event_attr(base, options, e, i);
	c->attr[i].wakeup = (uint32_t)(c->ring / 4);
	c->request = plan->names->event;
	c->n = i + 1;
	/* A trial of a probe takes 0.1 s, to remove it. */
	return e->uprobe != NULL || try_event(&c->attr[i], e, options);
}

static bool
add_events(struct record_plan *plan, const struct counter_attr *base,
	   const struct record_plan_options *options, struct buf *why)
{
	const struct event_requests *events = plan->names;
	size_t i;

	plan->counters.ring = ring_size(options, events->n);
	for (i = 0; i < events->n; i++) {
		if (add_event(plan, base, options, i))
			continue;
		refusal_explain(why, errno,
				&(struct refusal){
				    .event = events->event[i].name,
				    .whole_machine = options->whole_machine });
		return false;
	}
	return true;
}

/* Take the first of a list that works. */
static bool
choose(struct record_plan *plan, const struct counter_attr *base,
       const struct record_plan_options *options, struct buf *why)
{
	static const char *const best[] = { "cycles:P", "cpu-clock" };
	const size_t n = sizeof(best) / sizeof(*best);
	size_t i;

	for (i = 0; i < n; i++) {
		why->len = 0;
		plan->names->n = 0;
		if (event_names_add(plan->names, best[i], why) &&
		    add_events(plan, base, options, why)) {
			plan->no_cycles = i > 0;
			return true;
		}
	}
	return false;
}

static bool
is_switch(const struct event_request *e)
{
	return (e->type == PERF_TYPE_SOFTWARE &&
		e->config == PERF_COUNT_SW_CONTEXT_SWITCHES) ||
	       (e->type == PERF_TYPE_TRACEPOINT &&
		str_starts(e->name, STR("sched:sched_switch")));
}

/*
 * Add an event that records the stacks of threads that leave their CPU.  Only
 * the tracepoint has the state in which they do, and root may use it.  The
 * stack of a switch begins in the kernel: without the right to look into it,
 * the kernel drops these samples.
 */
static void
add_waits(struct record_plan *plan, const struct counter_attr *base,
	  const struct record_plan_options *options)
{
	static const char *const best[] = { "sched:sched_switch",
					    "context-switches/period=1/" };
	struct event_requests *events = plan->names;
	const size_t n = events->n;
	struct buf why = { 0 };
	size_t i;

	plan->no_wait_stacks = plan->no_kernel;
	for (i = 0; i < n; i++) {
		if (plan->no_kernel || is_switch(&events->event[i]))
			return;
	}
	for (i = 0; i < sizeof(best) / sizeof(*best); i++) {
		if (event_names_add(events, best[i], &why) &&
		    add_event(plan, base, options, n))
			break;
		events->n = plan->counters.n = n;
	}
	plan->counters.request = events->event;
	plan->no_wait_stacks = events->n == n;
	buf_free(&why);
}

bool
record_plan_make(struct record_plan *plan, struct event_requests *events,
		 const struct record_plan_options *options, struct buf *why)
{
	struct counter_attr base;
	bool ok;

	*plan = (struct record_plan){ .names = events,
				      .stack = options->stack,
				      .sample_type = SAMPLE_LAYOUT };
	if (options->stack > 0)
		plan->regs = registers();
	if (plan->regs != 0)
		plan->sample_type |= SAMPLE_LAYOUT_COPY;
	base = base_attr(plan, options);
	if (plan->regs == 0)
		base.stack_user = 0;
	if (!negotiate(plan, options, &base)) {
		refusal_explain(why, errno,
				&(struct refusal){
				    .whole_machine = options->whole_machine });
		return false;
	}
	set_rate(plan, options, &base);
	ok = events->n == 0 ? choose(plan, &base, options, why) :
			      add_events(plan, &base, options, why);
	if (ok && options->wall)
		add_waits(plan, &base, options);
	return ok;
}

void
record_plan_free(struct record_plan *plan)
{
	free(plan->counters.attr);
}

struct counter_attr
record_plan_file_attr(const struct record_plan *plan, size_t event)
{
	struct counter_attr a = plan->counters.attr[event];

	/* The chain has moved into the copy of the stack. */
	if (a.sample_type & PERF_SAMPLE_STACK_USER)
		a.flags |= PERF_ATTR_EXCLUDE_CALLCHAIN_USER;
	return a;
}
