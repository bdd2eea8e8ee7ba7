/* profile.c - samples out of a perf.data file, with names. */
#include "profile.h"

#include "mem.h"
#include "pending.h"

#include <err.h>
#include <inttypes.h>
#include <stdlib.h>

/* Megabytes of records that wait, from which on it is said. */
#define MUCH 64

struct profile {
	struct input *in;
	struct perfdata *data;
	struct processes *processes;
	struct resolver *resolver;
	bool one_pass; /* tasks and samples come together */
	uint64_t newest;
	struct callstacks *stacks;
	struct pending *pending;
	struct buf comm;
	uint64_t lost;
	unsigned notes; /* given */
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
take_task(struct profile *p, const struct perf_record *r)
{
	if (r->type == PERF_LOST || r->type == PERF_LOST_SAMPLES)
		p->lost += r->lost;
	else
		processes_tell(p->processes, r, when(p, r));
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

struct profile *
profile_open(struct input *in, const struct profile_options *options)
{
	struct profile *p = mem_zero(1, sizeof(*p));
	const char *why;

	p->in = in;
	p->data = perfdata_open(in, &why);
	if (p->data == NULL)
		errx(2, "%s: no perf.data file that can be read: %s", in->name,
		     why);
	p->processes = processes_new();
	p->resolver = resolver_new(&options->resolve, p->processes,
				   perfdata_features(p->data));
	p->stacks = callstacks_new(p->resolver, perfdata_features(p->data));
	p->pending = pending_new();
	p->one_pass = !perfdata_can_rewind(p->data);
	if (p->one_pass) {
		perfdata_pass(p->data, PERF_WANT_ALL, true);
	} else {
		read_tasks(p);
		perfdata_pass(p->data, PERF_WANT_SAMPLES, options->sorted);
	}
	return p;
}

void
profile_close(struct profile *p)
{
	pending_free(p->pending);
	callstacks_free(p->stacks);
	resolver_free(p->resolver);
	processes_free(p->processes);
	perfdata_close(p->data);
	buf_free(&p->comm);
	free(p);
}

static struct str
comm_of(struct profile *p, const struct perf_record *r, uint64_t now)
{
	struct str comm = processes_comm(p->processes, r->tid, now);

	if (comm.len > 0 || r->tid < 0)
		return comm;
	if (r->tid == 0)
		return STR("swapper");
	p->comm.len = 0;
	buf_printf(&p->comm, ":%" PRId64, r->tid);
	return buf_slice(&p->comm);
}

static struct str
cgroup_of(const struct profile *p, const struct perf_record *r)
{
	return r->event->sample_type & PERF_CGROUP ?
		   processes_cgroup(p->processes, r->cgroup) :
		   STR("");
}

static const struct callstack *
stack_of(struct profile *p, const struct perf_record *r, uint64_t now)
{
	resolver_at(p->resolver, r->pid, now);
	return r->type == PERF_SAMPLE ? callstack_of(p->stacks, r) :
					callstack_deferred(p->stacks, r);
}

/* False if the sample is not complete yet. */
static bool
take_sample(struct profile *p, const struct perf_record *r,
	    struct profile_sample *s)
{
	uint64_t now = when(p, r);
	const struct callstack *stack = stack_of(p, r, now);

	*s = (struct profile_sample){ .time = r->time,
				      .has_time = r->has_time,
				      .pid = r->pid,
				      .tid = r->tid,
				      .cpu = r->cpu,
				      .comm = comm_of(p, r, now),
				      .cgroup = cgroup_of(p, r),
				      .event = r->event,
				      .period = r->has_period ? r->period : 0,
				      .frame = stack->frame,
				      .n = stack->n,
				      .truncated = stack->truncated };
	if (stack->deferred)
		pending_add(p->pending, s, stack->cookie);
	return !stack->deferred;
}

bool
profile_read(struct profile *p, struct profile_sample *s)
{
	struct perf_record r;

	if (pending_next(p->pending, s))
		return true;
	while (perfdata_next(p->data, &r)) {
		if (r.type == PERF_SAMPLE) {
			if (take_sample(p, &r, s))
				return true;
		} else if (r.type == PERF_CALLCHAIN_DEFERRED) {
			pending_complete(p->pending, r.tid, r.cookie,
					 stack_of(p, &r, when(p, &r)));
			if (pending_next(p->pending, s))
				return true;
		} else if (p->one_pass) {
			take_task(p, &r);
		}
	}
	pending_end(p->pending);
	return pending_next(p->pending, s);
}

bool
profile_note(struct profile *p, struct buf *line)
{
	size_t held = perfdata_held(p->data) >> 20;

	if (p->notes++ == 0 && p->lost > 0) {
		buf_printf(line,
			   "%" PRIu64 " records were lost while recording: "
			   "record with a lower -F or a larger -m",
			   p->lost);
		return true;
	}
	if (p->notes < 3 && p->one_pass && held >= MUCH) {
		p->notes = 3;
		buf_printf(line,
			   "%zu MB were kept in memory to put a recording of "
			   "few rounds in order: a file needs none",
			   held);
		return true;
	}
	return resolver_note(p->resolver, line);
}
