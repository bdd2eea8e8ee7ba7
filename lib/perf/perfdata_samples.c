/* perfdata_samples.c - the samples of a perf.data file, with symbols. */
#include "perf/perfdata_samples.h"

#include "base/mem.h"
#include "jit/jit.h"
#include "jit/jit_discover.h"
#include "perf/branch_calls.h"
#include "perf/broken_chain.h"
#include "perf/callstack-internal.h"
#include "perf/deferred_chain.h"
#include "perf/offcpu.h"
#include "perf/probeargs.h"
#include "perfdata/losses.h"
#include "symbols/process_life.h"

#include <inttypes.h>
#include <stdlib.h>

/*
 * How late a record may come: ns, or records if they have no times.  Records
 * are in order within two rounds of perf, but a perf that stops in the middle
 * of a round leaves older ones for later.
 */
#define LATE (UINT64_C(10) * 1000000000)
#define LATE_RECORDS 100000

/* Megabytes of waiting records that are worth a note. */
#define MUCH_MEMORY 64

struct perfdata_samples {
	struct perfdata *data;
	struct processes *processes;
	struct resolver *resolver;
	bool one_pass; /* the input cannot be read twice */
	bool more;     /* samples follow what is read now */
	bool waited;   /* a sample for its user-mode part, while more is set */
	bool in_order; /* the second pass returns other records too */
	uint64_t newest;
	struct callstack_builder *stacks;
	struct deferred_chain *deferred;
	struct broken_chains *broken;
	struct probeargs *probeargs;
	struct buf comm, args; /* of the last sample */
	struct jit *jit;       /* the caller's; may be NULL */
	const char *symfs;
	bool has_ticks; /* the jit has the recording's clock of ticks */

	/* The view of branches, or NULL; and the sample that has them. */
	struct branch_calls *branches;
	struct perfdata_sample branched;

	/* The views of time; NULL for the other views. */
	struct offcpu *offcpu;
	bool wall, others, ended;
	struct perf_event event;       /* all samples are of this event */
	struct callstack_frame *frame; /* of the last sample */
	size_t frame_cap;

	struct losses losses;
	uint64_t lost;  /* records since the last sample */
	unsigned notes; /* tried so far */
	bool noted_traces;
};

/*
 * When a record happened.  In a recording without times it is the record's
 * place in the file.
 */
static uint64_t
record_time(struct perfdata_samples *p, const struct perf_record *r)
{
	if (!r->has_time)
		return p->newest > 0 ? p->newest : r->number;
	if (r->time > p->newest)
		p->newest = r->time;
	return r->time;
}

static void
add_to_jit(struct perfdata_samples *p, const struct perf_record *r)
{
	if (r->type == PERF_RECORD_MMAP || r->type == PERF_RECORD_MMAP2)
		jit_discover_mapped(p->jit, r->pid, p->symfs, r->name);
	else if (r->type == PERF_RECORD_FORK &&
		 !(r->misc & PERF_RECORD_MISC_FORK_EXEC))
		jit_fork(p->jit, r->ppid, r->pid);
	else if (r->type == PERF_RECORD_COMM &&
		 r->misc & PERF_RECORD_MISC_COMM_EXEC)
		jit_exec(p->jit, r->pid, record_time(p, r));
}

static void
end_thread(void *arg, int64_t tid)
{
	const struct perfdata_samples *p = arg;

	callstack_end_thread(p->stacks, tid);
}

/* Forget what ended long ago, as no record that still comes is so late. */
static void
forget(struct perfdata_samples *p, const struct perf_record *r)
{
	const uint64_t late = p->newest > 0 ? LATE : LATE_RECORDS;
	const uint64_t now = p->newest > 0 ? p->newest : r->number;

	if (now > late)
		resolve_forget(p->resolver, now - late, end_thread, p);
}

/* Add a record other than a sample. */
static void
add_task(struct perfdata_samples *p, const struct perf_record *r)
{
	losses_add(&p->losses, r);
	process_add(p->processes, r, record_time(p, r));
	if (p->jit != NULL)
		add_to_jit(p, r);
	if (p->one_pass)
		forget(p, r);
}

static void
read_tasks(struct perfdata_samples *p)
{
	struct perf_record r;

	perfdata_pass(p->data, PERF_WANT_TASKS, true);
	while (perfdata_next(p->data, &r))
		add_task(p, &r);
	p->newest = 0;
}

static void
begin_samples(struct perfdata_samples *p, bool in_time)
{
	if (p->one_pass) {
		perfdata_pass(p->data, PERF_WANT_ALL, true);
		return;
	}
	p->in_order = in_time;
	read_tasks(p);
	perfdata_pass(p->data, in_time ? PERF_WANT_ALL : PERF_WANT_SAMPLES,
		      in_time || perfattr_need_order(perfdata_events(p->data)));
}

static void
begin_time(struct perfdata_samples *p,
	   const struct perfdata_samples_options *options)
{
	p->wall = options->view == PERFDATA_WALL;
	p->others = options->others;
	p->offcpu = offcpu_new(p->wall, p->resolver, perfdata_features(p->data),
			       perfdata_events(p->data));
	p->event.name = p->wall ? STR("wall") : STR("off-cpu");
}

struct perfdata_samples *
perfdata_samples_open(struct input *in,
		      const struct perfdata_samples_options *options,
		      struct buf *why)
{
	const bool is_time = options->view == PERFDATA_OFF_CPU ||
			     options->view == PERFDATA_WALL;
	const char *reason;
	struct perfdata *data = perfdata_open(in, &reason);
	struct perfdata_samples *p;

	if (data == NULL) {
		buf_printf(why, "%s: cannot read this perf.data file: %s",
			   in->name, reason);
		return NULL;
	}
	p = mem_zero(1, sizeof(*p));
	p->data = data;
	p->jit = options->resolve.jit;
	p->symfs = options->resolve.places.symfs;
	p->processes = process_new();
	p->resolver = resolve_new(&options->resolve, p->processes,
				  perfdata_features(data), why);
	if (p->resolver == NULL) {
		process_free(p->processes);
		perfdata_close(data);
		free(p);
		return NULL;
	}
	p->stacks = callstack_new(p->resolver, perfdata_features(data));
	callstack_use_jvms(p->stacks, options->jvms, &options->resolve);
	p->deferred = deferred_chain_new();
	p->broken = broken_chain_new();
	p->probeargs = probeargs_new(&perfdata_features(data)->formats);
	p->one_pass = !perfdata_can_rewind(data);
	if (is_time)
		begin_time(p, options);
	if (options->view == PERFDATA_BRANCHES) {
		p->branches = branch_calls_new(p->resolver);
		p->event.name = STR("calls");
	}
	begin_samples(p, is_time || options->sorted);
	return p;
}

void
perfdata_samples_close(struct perfdata_samples *p)
{
	offcpu_free(p->offcpu);
	branch_calls_free(p->branches);
	free(p->frame);
	deferred_chain_free(p->deferred);
	broken_chain_free(p->broken);
	probeargs_free(p->probeargs);
	callstack_free(p->stacks);
	resolve_free(p->resolver);
	process_free(p->processes);
	perfdata_close(p->data);
	buf_free(&p->comm);
	buf_free(&p->args);
	free(p);
}

/* Forks. */

/* Whether all samples have times, or none: others stand where those before. */
static bool
agree_on_time(const struct perf_events *events)
{
	size_t i;

	for (i = 1; i < events->n; i++) {
		if ((events->event[i]->sample_type ^
		     events->event[0]->sample_type) &
		    PERF_SAMPLE_TIME)
			return false;
	}
	return true;
}

const struct perf_cut *
perfdata_samples_cuts(const struct perfdata_samples *p, size_t *n)
{
	return p->offcpu == NULL && p->branches == NULL && !p->one_pass &&
		       !p->in_order && agree_on_time(perfdata_events(p->data)) ?
		   perfdata_cuts(p->data, n) :
		   NULL;
}

struct perfdata_samples *
perfdata_samples_fork(const struct perfdata_samples *p, struct tally *tally)
{
	struct perfdata_samples *fork = mem_zero(1, sizeof(*fork));

	fork->data = perfdata_fork(p->data, tally);
	fork->processes = process_fork(p->processes);
	fork->deferred = deferred_chain_new();
	fork->broken = broken_chain_new();
	fork->probeargs = probeargs_new(&perfdata_features(p->data)->formats);
	fork->resolver = resolve_fork(p->resolver, fork->processes);
	if (fork->resolver != NULL)
		fork->stacks = callstack_fork(p->stacks, fork->resolver);
	if (fork->stacks != NULL)
		return fork;
	perfdata_samples_fork_free(fork);
	return NULL;
}

void
perfdata_samples_fork_free(struct perfdata_samples *fork)
{
	if (fork->stacks != NULL)
		callstack_free(fork->stacks);
	if (fork->resolver != NULL)
		resolve_fork_free(fork->resolver);
	deferred_chain_free(fork->deferred);
	broken_chain_free(fork->broken);
	probeargs_free(fork->probeargs);
	process_fork_free(fork->processes);
	perfdata_fork_free(fork->data);
	buf_free(&fork->comm);
	buf_free(&fork->args);
	free(fork);
}

void
perfdata_samples_part(struct perfdata_samples *p, const struct perf_cut *from,
		      const struct perf_cut *to, bool more)
{
	p->more = more;
	perfdata_part(p->data, from, to);
}

bool
perfdata_samples_leaf(struct perfdata_samples *fork, struct perfdata_leaf *leaf)
{
	struct perf_record r;

	do {
		if (!perfdata_next(fork->data, &r))
			return false;
	} while (r.type != PERF_RECORD_SAMPLE || !r.has_ip);
	*leaf = (struct perfdata_leaf){ .pid = r.pid,
					.when = record_time(fork, &r),
					.address = r.ip,
					.mode = callstack_mode(&r) };
	resolve_at(fork->resolver, r.pid, leaf->when);
	leaf->file = resolve_file(fork->resolver, leaf->mode, r.ip);
	fork->newest = 0;
	return true;
}

void
perfdata_samples_table(struct perfdata_samples *fork,
		       const struct perfdata_leaf *leaf, unsigned table)
{
	resolve_at(fork->resolver, leaf->pid, leaf->when);
	resolve_read(fork->resolver, leaf->mode, leaf->address, table);
}

bool
perfdata_samples_can_join(const struct perfdata_samples *p,
			  const struct perfdata_samples *fork)
{
	return !p->waited && !fork->waited &&
	       callstack_can_join(p->stacks, fork->stacks);
}

void
perfdata_samples_join(struct perfdata_samples *p,
		      const struct perfdata_samples *fork)
{
	callstack_join(p->stacks, fork->stacks);
	resolve_join(p->resolver, fork->resolver);
	broken_chain_join(p->broken, fork->broken);
}

static struct str
thread_comm(struct perfdata_samples *p, int64_t tid, uint64_t now)
{
	struct str comm = process_comm(p->processes, tid, now);

	if (comm.len > 0)
		return comm;
	if (tid == 0)
		return STR("swapper");
	p->comm.len = 0;
	buf_printf(&p->comm, ":%" PRId64, tid);
	return buf_slice(&p->comm);
}

/* When a thread that has ended leaves its CPU, its tid is already -1. */
static struct str
sample_comm(struct perfdata_samples *p, const struct perf_record *r,
	    uint64_t now)
{
	if (!(r->event->sample_type & PERF_SAMPLE_TID))
		return STR("");
	return thread_comm(p, r->tid >= 0 ? r->tid : r->pid, now);
}

static struct str
sample_cgroup(const struct perfdata_samples *p, const struct perf_record *r)
{
	return r->event->sample_type & PERF_SAMPLE_CGROUP ?
		   process_cgroup(p->processes, r->cgroup) :
		   STR("");
}

static struct str
sample_args(struct perfdata_samples *p, const struct perf_record *r)
{
	p->args.len = 0;
	probeargs_print(p->probeargs, r->event, r->raw, &p->args);
	return buf_slice(&p->args);
}

/* Jitdumps may have times in ticks: say how ticks become the samples' times. */
static void
set_jit_ticks(struct perfdata_samples *p)
{
	const struct perf_ticks *t = &perfdata_features(p->data)->ticks;

	if (p->has_ticks || !t->known || p->jit == NULL)
		return;
	p->has_ticks = true;
	jit_store_set_ticks(
	    jit_files(p->jit),
	    &(struct jit_clock){ JIT_CLOCK_TICKS, t->shift, t->mult, t->zero });
}

static enum jit_times
record_clock(const struct perf_record *r)
{
	if (!r->has_time || r->event == NULL)
		return JIT_NO_TIMES;
	return r->event->monotonic ? JIT_MONOTONIC : JIT_PERF_CLOCK;
}

static const struct callstack *
build_stack(struct perfdata_samples *p, const struct perf_record *r,
	    uint64_t now)
{
	const struct callstack *stack;

	if (p->one_pass)
		process_life_seen(p->processes, r->pid, r->tid, now);
	resolve_at(p->resolver, r->pid, now);
	set_jit_ticks(p);
	resolve_jit_times(p->resolver, record_clock(r));
	stack = r->type == PERF_RECORD_SAMPLE ?
		    callstack_build(p->stacks, r) :
		    callstack_build_deferred(p->stacks, r);
	if (!stack->deferred)
		broken_chain_count(p->broken, stack);
	return stack;
}

/* The sample as recorded; the stack is valid until the next one is built. */
static const struct callstack *
fill_sample(struct perfdata_samples *p, const struct perf_record *r,
	    struct perfdata_sample *sample)
{
	uint64_t now = record_time(p, r);
	const struct callstack *stack = build_stack(p, r, now);
	const struct str comm = sample_comm(p, r, now);
	const struct str cgroup = sample_cgroup(p, r), args = sample_args(p, r);

	/* Setting all fields is faster than zeroing the struct first. */
	*sample =
	    (struct perfdata_sample){ .time = r->time,
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
				      .lost = 0 };
	return stack;
}

/* True if the sample is complete; otherwise it waits for its user-mode part. */
static bool
is_complete(struct perfdata_samples *p, const struct callstack *stack,
	    const struct perfdata_sample *sample)
{
	if (stack == NULL || !stack->deferred)
		return true;
	p->waited |= p->more;
	deferred_chain_add(p->deferred, sample, stack->cookie);
	return false;
}

static void
add_deferred(struct perfdata_samples *p, const struct perf_record *r)
{
	deferred_chain_complete(p->deferred, r->tid, r->cookie,
				build_stack(p, r, record_time(p, r)));
}

/* True if the record gives a sample. */
static bool
add_record(struct perfdata_samples *p, const struct perf_record *r,
	   struct perfdata_sample *sample)
{
	if (r->type == PERF_RECORD_SAMPLE)
		return is_complete(p, fill_sample(p, r, sample), sample);
	if (r->type == PERF_RECORD_CALLCHAIN_DEFERRED)
		add_deferred(p, r);
	else if (p->one_pass)
		add_task(p, r);
	return false;
}

static bool
read_as_recorded(struct perfdata_samples *p, struct perfdata_sample *sample)
{
	struct perf_record r;

	for (;;) {
		if (deferred_chain_next(p->deferred, sample))
			return true;
		if (!perfdata_next(p->data, &r))
			break;
		p->lost += losses_of(&r);
		resolve_prefetch(p->resolver, perfdata_ahead(p->data));
		if (add_record(p, &r, sample))
			return true;
	}
	if (p->more)
		return false;
	deferred_chain_end(p->deferred);
	return deferred_chain_next(p->deferred, sample);
}

/* The view of branches. */

/* What the calls of a sample have in common. */
static void
begin_branches(struct perfdata_samples *p, const struct perf_record *r)
{
	const uint64_t now = record_time(p, r);

	resolve_at(p->resolver, r->pid, now);
	set_jit_ticks(p);
	resolve_jit_times(p->resolver, record_clock(r));
	branch_calls_add(p->branches, r);
	p->branched = (struct perfdata_sample){ .time = r->time,
						.has_time = r->has_time,
						.pid = r->pid,
						.tid = r->tid,
						.cpu = r->cpu,
						.comm = sample_comm(p, r, now),
						.cgroup = sample_cgroup(p, r),
						.event = &p->event,
						.period = 1 };
}

static bool
read_branches(struct perfdata_samples *p, struct perfdata_sample *sample)
{
	const struct callstack *call;
	struct perf_record r;

	while ((call = branch_calls_next(p->branches)) == NULL) {
		if (!perfdata_next(p->data, &r))
			return false;
		p->lost += losses_of(&r);
		if (r.type == PERF_RECORD_SAMPLE)
			begin_branches(p, &r);
		else if (p->one_pass)
			add_task(p, &r);
	}
	*sample = p->branched;
	sample->frame = call->frame;
	sample->n = call->n;
	return true;
}

/* The views of time. */

/* A stack and, as its new leaf, what the thread did there; NULL for none. */
static void
set_frames(struct perfdata_samples *p, const struct callstack *stack,
	   const struct code *leaf, struct perfdata_sample *sample)
{
	size_t n = stack == NULL ? 0 : stack->n;

	p->frame = mem_grow(p->frame, &p->frame_cap, n + 1, sizeof(*p->frame));
	sample->frame = p->frame;
	sample->n = 0;
	if (leaf != NULL)
		p->frame[sample->n++] = (struct callstack_frame){ leaf, 0 };
	if (n > 0)
		memcpy(p->frame + sample->n, stack->frame,
		       n * sizeof(*p->frame));
	sample->n += n;
}

static void
set_time(const struct perfdata_samples *p, uint64_t ns,
	 struct perfdata_sample *sample)
{
	sample->event = &p->event;
	sample->period = ns;
	sample->is_ns = true;
}

/* A span as a sample; true if it is complete. */
static bool
add_span(struct perfdata_samples *p, const struct span *span,
	 const struct code *leaf, struct perfdata_sample *sample)
{
	const struct callstack *stack = span->stack;

	*sample = (struct perfdata_sample){
		.time = span->end,
		.has_time = true,
		.pid = span->pid,
		.tid = span->tid,
		.cpu = span->cpu,
		.comm = thread_comm(p, span->tid, span->end),
		.cgroup = process_cgroup(p->processes, span->cgroup),
		.truncated = stack != NULL && stack->truncated
	};
	set_frames(p, stack, leaf, sample);
	set_time(p, span->ns, sample);
	return is_complete(p, stack, sample);
}

/* A sample that stands for ns of its thread; true if there is one, complete. */
static bool
add_weighed(struct perfdata_samples *p, const struct perf_record *r,
	    uint64_t ns, const struct code *leaf,
	    struct perfdata_sample *sample)
{
	const struct callstack *stack;

	if (ns == 0)
		return false;
	stack = fill_sample(p, r, sample);
	set_frames(p, stack, leaf, sample);
	set_time(p, ns, sample);
	return is_complete(p, stack, sample);
}

static bool
add_timed_sample(struct perfdata_samples *p, const struct perf_record *r,
		 struct perfdata_sample *sample)
{
	const struct code *leaf = NULL;
	uint64_t ns;

	switch (offcpu_kind(p->offcpu, r)) {
	case OFFCPU_RAN:
		ns = offcpu_weigh(p->offcpu, r);
		return p->wall && add_weighed(p, r, ns, NULL, sample);
	case OFFCPU_WAITED:
		if (p->wall)
			leaf = code_intern_mark(resolve_codes(p->resolver),
						STR("state:waiting"));
		return add_weighed(p, r, r->period, leaf, sample);
	case OFFCPU_LEAVES:
		offcpu_add(p->offcpu, r, build_stack(p, r, record_time(p, r)));
		break;
	case OFFCPU_WAKES:
		offcpu_add(p->offcpu, r, NULL);
		break;
	case OFFCPU_OTHER:
		offcpu_add(p->offcpu, r, NULL);
		return p->others &&
		       is_complete(p, fill_sample(p, r, sample), sample);
	}
	return false;
}

/* True if the record itself is a sample; it may also finish spans. */
static bool
add_timed(struct perfdata_samples *p, const struct perf_record *r,
	  struct perfdata_sample *sample)
{
	if (r->type == PERF_RECORD_SAMPLE)
		return add_timed_sample(p, r, sample);
	if (r->type == PERF_RECORD_CALLCHAIN_DEFERRED) {
		add_deferred(p, r);
		return false;
	}
	if (p->one_pass)
		add_task(p, r);
	offcpu_add(p->offcpu, r, NULL);
	return false;
}

/* Add the next record, or the end; true if the record itself is a sample. */
static bool
read_timed(struct perfdata_samples *p, struct perfdata_sample *sample)
{
	struct perf_record r;

	if (perfdata_next(p->data, &r)) {
		p->lost += losses_of(&r);
		return add_timed(p, &r, sample);
	}
	offcpu_end(p->offcpu);
	p->ended = true;
	return false;
}

static bool
read_time(struct perfdata_samples *p, struct perfdata_sample *sample)
{
	const struct code *leaf;
	struct span span;

	while (offcpu_error(p->offcpu).len == 0) {
		if (deferred_chain_next(p->deferred, sample))
			return true;
		if (offcpu_next(p->offcpu, &span, &leaf)) {
			if (add_span(p, &span, leaf, sample))
				return true;
		} else if (p->ended) {
			deferred_chain_end(p->deferred);
			return deferred_chain_next(p->deferred, sample);
		} else if (read_timed(p, sample)) {
			return true;
		}
	}
	return false;
}

bool
perfdata_samples_read(struct perfdata_samples *p,
		      struct perfdata_sample *sample)
{
	if (!(p->branches != NULL ? read_branches(p, sample) :
	      p->offcpu != NULL   ? read_time(p, sample) :
				    read_as_recorded(p, sample)))
		return false;
	sample->lost = p->lost;
	p->lost = 0;
	return true;
}

const struct perf_events *
perfdata_samples_events(const struct perfdata_samples *p)
{
	return p->offcpu == NULL && p->branches == NULL ?
		   perfdata_events(p->data) :
		   NULL;
}

struct str
perfdata_samples_error(const struct perfdata_samples *p)
{
	if (p->branches != NULL)
		return branch_calls_error(p->branches);
	return p->offcpu == NULL ? STR("") : offcpu_error(p->offcpu);
}

bool
perfdata_samples_note(struct perfdata_samples *p, struct buf *line)
{
	size_t waited = perfdata_buffered(p->data) >> 20;

	if (p->notes++ == 0 && losses_note(&p->losses, line))
		return true;
	if (p->notes < 3 && p->one_pass && waited >= MUCH_MEMORY) {
		p->notes = 3;
		buf_printf(line,
			   "used %zu MB of memory to sort samples of a pipe; "
			   "reading a file would need none",
			   waited);
		return true;
	}
	if (!p->noted_traces && perfdata_has_traces(p->data)) {
		p->noted_traces = true;
		buf_str(
		    line,
		    STR("skipping CPU traces (Intel PT, SPE, CoreSight): "
			"convert them to samples with perf inject --itrace"));
		return true;
	}
	return (p->offcpu != NULL && offcpu_note(p->offcpu, line)) ||
	       (p->branches != NULL && branch_calls_note(p->branches, line)) ||
	       callstack_note(p->stacks, line) ||
	       broken_chain_note(p->broken, line) ||
	       resolve_note(p->resolver, line);
}
