/* profile.c - samples out of a perf.data file, with names. */
#include "profile.h"

#include "chainend.h"
#include "jit.h"
#include "losses.h"
#include "mem.h"
#include "offcpu.h"
#include "pending.h"
#include "probeargs.h"

#include <err.h>
#include <inttypes.h>
#include <stdlib.h>

/* Megabytes of records that wait, from which on it is said. */
#define MUCH 64

struct profile {
	struct perfdata *data;
	struct processes *processes;
	struct resolver *resolver;
	bool one_pass; /* tasks and samples come together */
	uint64_t newest;
	struct callstacks *stacks;
	struct pending *pending;
	struct chainends *ends;
	struct probeargs *probeargs;
	struct buf comm, args;
	struct jit *jit; /* NULL if nobody asked for its names */
	const char *symfs;
	bool knows_ticks; /* the jit was told of the recording's */

	/* Of threads' time, NULL if that was not asked for. */
	struct offcpu *offcpu;
	bool wall, others, ended;
	struct perf_event event;     /* of all its samples */
	struct profile_frame *frame; /* with what they waited for */
	size_t frame_cap;

	struct losses losses;
	uint64_t missed; /* since the last sample */
	unsigned notes;  /* given */
	bool noted_traces;
};

/* Where a record stands in time: without times, where in the file. */
static uint64_t
when(struct profile *p, const struct perf_record *r)
{
	if (!r->has_time)
		return p->newest > 0 ? p->newest : r->number;
	if (r->time > p->newest)
		p->newest = r->time;
	return r->time;
}

static void
tell_jit(struct profile *p, const struct perf_record *r)
{
	if (r->type == PERF_MMAP || r->type == PERF_MMAP2)
		jit_add_mapped(p->jit, r->pid, p->symfs, r->name);
	else if (r->type == PERF_FORK && !(r->misc & PERF_FORK_EXISTED))
		jit_fork(p->jit, r->ppid, r->pid);
	else if (r->type == PERF_COMM && r->misc & PERF_COMM_EXEC)
		jit_exec(p->jit, r->pid, when(p, r));
}

static void
take_task(struct profile *p, const struct perf_record *r)
{
	losses_take(&p->losses, r);
	processes_tell(p->processes, r, when(p, r));
	if (p->jit != NULL)
		tell_jit(p, r);
}

static void
read_tasks(struct profile *p)
{
	struct perf_record r;

	perfdata_pass(p->data, PERF_WANT_TASKS, true);
	while (perfdata_next(p->data, &r))
		take_task(p, &r);
	p->newest = 0;
}

/* All samples of threads' time are of one event. */
static void
begin_time(struct profile *p, const struct profile_options *options)
{
	p->wall = options->what == PROFILE_WALL;
	p->others = options->others;
	p->offcpu = offcpu_new(p->wall, p->resolver, perfdata_features(p->data),
			       perfdata_events(p->data));
	p->event.name = p->wall ? STR("wall") : STR("off-cpu");
}

struct profile *
profile_open(struct input *in, const struct profile_options *options)
{
	const bool in_time = options->what != PROFILE_SAMPLES ||
			     options->sorted;
	const char *why;
	struct perfdata *data = perfdata_open(in, &why);
	struct profile *p;

	if (data == NULL)
		errx(2, "%s: no perf.data file that can be read: %s", in->name,
		     why);
	p = mem_zero(1, sizeof(*p));
	p->data = data;
	p->jit = options->resolve.jit;
	p->symfs = options->resolve.places.symfs;
	p->processes = processes_new();
	p->resolver = resolver_new(&options->resolve, p->processes,
				   perfdata_features(p->data));
	p->stacks = callstacks_new(p->resolver, perfdata_features(p->data));
	p->pending = pending_new();
	p->ends = chainends_new();
	p->probeargs = probeargs_new(&perfdata_features(data)->formats);
	p->one_pass = !perfdata_can_rewind(p->data);
	if (options->what != PROFILE_SAMPLES)
		begin_time(p, options);
	if (p->one_pass) {
		perfdata_pass(p->data, PERF_WANT_ALL, true);
	} else {
		read_tasks(p);
		perfdata_pass(
		    p->data, in_time ? PERF_WANT_ALL : PERF_WANT_SAMPLES,
		    in_time || perfattr_need_order(perfdata_events(p->data)));
	}
	return p;
}

void
profile_close(struct profile *p)
{
	offcpu_free(p->offcpu);
	free(p->frame);
	pending_free(p->pending);
	chainends_free(p->ends);
	probeargs_free(p->probeargs);
	callstacks_free(p->stacks);
	resolver_free(p->resolver);
	processes_free(p->processes);
	perfdata_close(p->data);
	buf_free(&p->comm);
	buf_free(&p->args);
	free(p);
}

static struct str
comm_of(struct profile *p, int64_t tid, uint64_t now)
{
	struct str comm = processes_comm(p->processes, tid, now);

	if (comm.len > 0)
		return comm;
	if (tid == 0)
		return STR("swapper");
	p->comm.len = 0;
	buf_printf(&p->comm, ":%" PRId64, tid);
	return buf_slice(&p->comm);
}

/* A thread that ends has lost its number, -1, before it leaves its CPU. */
static struct str
sample_comm(struct profile *p, const struct perf_record *r, uint64_t now)
{
	if (!(r->event->sample_type & PERF_TID))
		return STR("");
	return comm_of(p, r->tid >= 0 ? r->tid : r->pid, now);
}

static struct str
cgroup_of(const struct profile *p, const struct perf_record *r)
{
	return r->event->sample_type & PERF_CGROUP ?
		   processes_cgroup(p->processes, r->cgroup) :
		   STR("");
}

static struct str
args_of(struct profile *p, const struct perf_record *r)
{
	p->args.len = 0;
	probeargs_print(p->probeargs, r->event, r->raw, &p->args);
	return buf_slice(&p->args);
}

/* How times of jitdumps in ticks are compared with those of samples. */
static void
tell_ticks(struct profile *p)
{
	const struct perf_ticks *t = &perfdata_features(p->data)->ticks;

	if (p->knows_ticks || !t->known || p->jit == NULL)
		return;
	p->knows_ticks = true;
	jit_set_ticks(p->jit, &(struct jit_clock){ JIT_CLOCK_TICKS, t->shift,
						   t->mult, t->zero });
}

static enum jit_times
times_of(const struct perf_record *r)
{
	if (!r->has_time || r->event == NULL)
		return JIT_NO_TIMES;
	return r->event->monotonic ? JIT_MONOTONIC : JIT_PERF_CLOCK;
}

static const struct callstack *
stack_of(struct profile *p, const struct perf_record *r, uint64_t now)
{
	const struct callstack *stack;

	resolver_at(p->resolver, r->pid, now);
	tell_ticks(p);
	resolver_jit_times(p->resolver, times_of(r));
	stack = r->type == PERF_SAMPLE ? callstack_of(p->stacks, r) :
					 callstack_deferred(p->stacks, r);
	if (!stack->deferred)
		chainends_count(p->ends, stack);
	return stack;
}

/* A sample as it was recorded; the stack is valid until the next one. */
static const struct callstack *
fill_sample(struct profile *p, const struct perf_record *r,
	    struct profile_sample *s)
{
	uint64_t now = when(p, r);
	const struct callstack *stack = stack_of(p, r, now);
	const struct str comm = sample_comm(p, r, now);
	const struct str cgroup = cgroup_of(p, r), args = args_of(p, r);

	*s = (struct profile_sample){ .time = r->time,
				      .has_time = r->has_time,
				      .pid = r->pid,
				      .tid = r->tid,
				      .cpu = r->cpu,
				      .comm = comm,
				      .cgroup = cgroup,
				      .args = args,
				      .event = r->event,
				      .period = r->has_period ? r->period : 0,
				      .is_ns = false,
				      .frame = stack->frame,
				      .n = stack->n,
				      .truncated = stack->truncated,
				      .lost = 0 }; /* all is set: faster */
	return stack;
}

/* False if the sample is not complete yet. */
static bool
finish_sample(struct profile *p, const struct callstack *stack,
	      const struct profile_sample *s)
{
	if (stack == NULL || !stack->deferred)
		return true;
	pending_add(p->pending, s, stack->cookie);
	return false;
}

/* Callers that come behind their samples. */
static void
take_callers(struct profile *p, const struct perf_record *r)
{
	pending_complete(p->pending, r->tid, r->cookie,
			 stack_of(p, r, when(p, r)));
}

/* False if the record gives no sample by itself. */
static bool
take_record(struct profile *p, const struct perf_record *r,
	    struct profile_sample *s)
{
	if (r->type == PERF_SAMPLE)
		return finish_sample(p, fill_sample(p, r, s), s);
	if (r->type == PERF_CALLCHAIN_DEFERRED)
		take_callers(p, r);
	else if (p->one_pass)
		take_task(p, r);
	return false;
}

static bool
read_sample(struct profile *p, struct profile_sample *s)
{
	struct perf_record r;

	for (;;) {
		if (pending_next(p->pending, s))
			return true;
		if (!perfdata_next(p->data, &r))
			break;
		p->missed += losses_here(&r);
		resolver_expect(p->resolver, perfdata_ahead(p->data));
		if (take_record(p, &r, s))
			return true;
	}
	pending_end(p->pending);
	return pending_next(p->pending, s);
}

/* The time of threads. */

/* A stack, and below its leaf what the thread did there. */
static void
set_frames(struct profile *p, const struct callstack *stack,
	   const struct code *leaf, struct profile_sample *s)
{
	size_t n = stack == NULL ? 0 : stack->n;

	p->frame = mem_grow(p->frame, &p->frame_cap, n + 1, sizeof(*p->frame));
	s->frame = p->frame;
	s->n = 0;
	if (leaf != NULL)
		p->frame[s->n++] = (struct profile_frame){ leaf, 0 };
	if (n > 0)
		memcpy(p->frame + s->n, stack->frame, n * sizeof(*p->frame));
	s->n += n;
}

static void
set_time(const struct profile *p, uint64_t ns, struct profile_sample *s)
{
	s->event = &p->event;
	s->period = ns;
	s->is_ns = true;
}

/* False if the sample is not complete yet. */
static bool
take_span(struct profile *p, const struct span *span, const struct code *leaf,
	  struct profile_sample *s)
{
	const struct callstack *stack = span->stack;

	*s = (struct profile_sample){
		.time = span->end,
		.has_time = true,
		.pid = span->pid,
		.tid = span->tid,
		.cpu = span->cpu,
		.comm = comm_of(p, span->tid, span->end),
		.cgroup = processes_cgroup(p->processes, span->cgroup),
		.truncated = stack != NULL && stack->truncated
	};
	set_frames(p, stack, leaf, s);
	set_time(p, span->ns, s);
	return finish_sample(p, stack, s);
}

/* A sample that is a time by itself; false if it is not complete yet. */
static bool
take_weighed(struct profile *p, const struct perf_record *r, uint64_t ns,
	     const struct code *leaf, struct profile_sample *s)
{
	const struct callstack *stack;

	if (ns == 0)
		return false;
	stack = fill_sample(p, r, s);
	set_frames(p, stack, leaf, s);
	set_time(p, ns, s);
	return finish_sample(p, stack, s);
}

static bool
take_timed_sample(struct profile *p, const struct perf_record *r,
		  struct profile_sample *s)
{
	const struct code *leaf = NULL;
	uint64_t ns;

	switch (offcpu_kind(p->offcpu, r)) {
	case OFFCPU_RAN:
		ns = offcpu_weigh(p->offcpu, r);
		return p->wall && take_weighed(p, r, ns, NULL, s);
	case OFFCPU_WAITED:
		if (p->wall)
			leaf = resolver_mark(p->resolver, STR("state:waiting"));
		return take_weighed(p, r, r->period, leaf, s);
	case OFFCPU_LEAVES:
		offcpu_tell(p->offcpu, r, stack_of(p, r, when(p, r)));
		break;
	case OFFCPU_WAKES:
		offcpu_tell(p->offcpu, r, NULL);
		break;
	case OFFCPU_OTHER:
		offcpu_tell(p->offcpu, r, NULL);
		return p->others && finish_sample(p, fill_sample(p, r, s), s);
	}
	return false;
}

/* False if the record gives no sample by itself. */
static bool
take_timed(struct profile *p, const struct perf_record *r,
	   struct profile_sample *s)
{
	if (r->type == PERF_SAMPLE)
		return take_timed_sample(p, r, s);
	if (r->type == PERF_CALLCHAIN_DEFERRED) {
		take_callers(p, r);
		return false;
	}
	if (p->one_pass)
		take_task(p, r);
	offcpu_tell(p->offcpu, r, NULL);
	return false;
}

static bool
read_time(struct profile *p, struct profile_sample *s)
{
	const struct code *leaf;
	struct perf_record r;
	struct span span;

	for (;;) {
		if (pending_next(p->pending, s))
			return true;
		if (offcpu_next(p->offcpu, &span, &leaf)) {
			if (take_span(p, &span, leaf, s))
				return true;
		} else if (p->ended) {
			break;
		} else if (perfdata_next(p->data, &r)) {
			p->missed += losses_here(&r);
			if (take_timed(p, &r, s))
				return true;
		} else {
			offcpu_end(p->offcpu);
			p->ended = true;
		}
	}
	pending_end(p->pending);
	return pending_next(p->pending, s);
}

bool
profile_read(struct profile *p, struct profile_sample *s)
{
	if (!(p->offcpu == NULL ? read_sample(p, s) : read_time(p, s)))
		return false;
	s->lost = p->missed;
	p->missed = 0;
	return true;
}

bool
profile_note(struct profile *p, struct buf *line)
{
	size_t held = perfdata_held(p->data) >> 20;

	if (p->notes++ == 0 && losses_note(&p->losses, line))
		return true;
	if (p->notes < 3 && p->one_pass && held >= MUCH) {
		p->notes = 3;
		buf_printf(line,
			   "%zu MB were kept in memory to put a recording of "
			   "few rounds in order: a file needs none",
			   held);
		return true;
	}
	if (!p->noted_traces && perfdata_has_traces(p->data)) {
		p->noted_traces = true;
		buf_str(line, STR("traces of CPUs (Intel PT, SPE, CoreSight) "
				  "are not decoded here: perf inject --itrace "
				  "makes samples of them"));
		return true;
	}
	return (p->offcpu != NULL && offcpu_note(p->offcpu, line)) ||
	       callstacks_note(p->stacks, line) ||
	       chainends_note(p->ends, line) ||
	       resolver_note(p->resolver, line);
}
