/* profile.c - samples out of a perf.data file, with names. */
#include "profile.h"

#include "mem.h"

#include <err.h>
#include <inttypes.h>
#include <stdlib.h>

struct profile {
	struct input *in;
	struct perfdata *data;
	struct processes *processes;
	struct resolver *resolver;
	bool one_pass; /* tasks and samples come together */
	uint64_t newest;
	struct profile_frame *frame;
	size_t n, cap;
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
	resolver_free(p->resolver);
	processes_free(p->processes);
	perfdata_close(p->data);
	free(p->frame);
	buf_free(&p->comm);
	free(p);
}

/* Frames. */

static enum resolve_mode
mode_of(unsigned cpumode)
{
	switch (cpumode) {
	case PERF_MODE_USER:
		return RESOLVE_USER;
	case PERF_MODE_KERNEL:
		return RESOLVE_KERNEL;
	default:
		return RESOLVE_OTHER;
	}
}

/* The mode of what stands behind a number of a chain that is no address. */
static enum resolve_mode
mode_behind(uint64_t context)
{
	if (context == PERF_CONTEXT_USER)
		return RESOLVE_USER;
	if (context == PERF_CONTEXT_KERNEL)
		return RESOLVE_KERNEL;
	return RESOLVE_OTHER;
}

/*
 * The first address of each mode is where that mode was left; those behind it
 * are where calls return to, unless an interrupt came between.
 */
static void
push_chain(struct profile *p, const struct perf_record *r)
{
	enum resolve_mode mode = mode_of(r->misc & PERF_MODE_MASK);
	bool is_return = false;
	struct profile_frame *f;
	uint64_t address;
	size_t i;

	p->frame = mem_grow(p->frame, &p->cap, r->nips + 1, sizeof(*p->frame));
	for (i = 0; i < r->nips; i++) {
		address = r->ips[i];
		if (address >= PERF_CONTEXT_MAX) {
			mode = mode_behind(address);
			is_return = false;
			continue;
		}
		f = &p->frame[p->n++];
		f->address = address;
		f->code = resolve(p->resolver, mode, address, is_return);
		is_return = f->code->kind != CODE_KERNEL ||
			    !resolve_is_entry(f->code);
	}
}

static void
push_leaf(struct profile *p, const struct perf_record *r)
{
	enum resolve_mode mode = mode_of(r->misc & PERF_MODE_MASK);

	p->frame = mem_grow(p->frame, &p->cap, 1, sizeof(*p->frame));
	p->frame[p->n++] = (struct profile_frame){
		resolve(p->resolver, mode, r->ip, false), r->ip
	};
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

static void
take_sample(struct profile *p, const struct perf_record *r,
	    struct profile_sample *s)
{
	uint64_t now = when(p, r);
	unsigned cpumode = r->misc & PERF_MODE_MASK;

	p->n = 0;
	resolver_at(p->resolver, r->pid, now, cpumode == PERF_MODE_KERNEL);
	if (r->has_chain)
		push_chain(p, r);
	else if (r->has_ip)
		push_leaf(p, r);
	*s = (struct profile_sample){ .time = r->time,
				      .has_time = r->has_time,
				      .pid = r->pid,
				      .tid = r->tid,
				      .cpu = r->cpu,
				      .comm = comm_of(p, r, now),
				      .event = r->event,
				      .period = r->has_period ? r->period : 0,
				      .frame = p->frame,
				      .n = p->n };
	s->truncated = p->n >= r->event->max_stack;
}

bool
profile_read(struct profile *p, struct profile_sample *s)
{
	struct perf_record r;

	while (perfdata_next(p->data, &r)) {
		if (r.type == PERF_SAMPLE) {
			take_sample(p, &r, s);
			return true;
		}
		if (p->one_pass)
			take_task(p, &r);
	}
	return false;
}

bool
profile_note(struct profile *p, struct buf *line)
{
	if (p->notes++ == 0 && p->lost > 0) {
		buf_printf(line,
			   "%" PRIu64 " records were lost while recording: "
			   "record with a lower -F or a larger -m",
			   p->lost);
		return true;
	}
	return resolver_note(p->resolver, line);
}
