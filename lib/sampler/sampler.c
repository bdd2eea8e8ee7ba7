/*
 * sampler.c - sample the stacks of all threads of running processes.
 *
 * sampler_round() takes each thread through these steps:
 *
 *	listed		live_threads_list()	its process has the thread
 *	state read	read_state()		it is selected for a sample
 *	captured	capture_thread()	its stack is copied
 *	unwound		capture_next()		the frames are known
 *	written		write_sample()		the caller has the sample
 */
#include "sampler/sampler.h"

#include "base/mem.h"
#include "os/clock.h"
#include "sampler/capture_memory.h"
#include "sampler/diagnosis.h"
#include "sampler/lock_holders.h"
#include "sampler/task_samples.h"
#include "sampler/thread_call.h"

#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/resource.h>

/* The memory map of a process is read at least this often. */
#define MAPS_INTERVAL_NS 1000000000

/*
 * The states of this many threads are read before the first of them is
 * captured.  While we use a CPU to capture, other threads stop waiting, and
 * none can begin to wait.
 */
enum { BATCH = 16 };

struct sampler {
	struct sampler_options options;
	struct live_process_observers observers;
	enum thread_state_counter counter;
	struct tracer *tracer;
	struct capture *capture;
	struct live_threads **process;
	size_t n, cap;
	struct lock_holders *holders;
	struct lock_chain chain; /* of the sample that is written */
	struct diagnosis *diagnosis;
	uint64_t rounds;
	struct sampler_counts counts;
};

struct sampler *
sampler_new(const struct sampler_options *options, struct processes *processes,
	    struct resolver *r)
{
	struct sampler *s = mem_zero(1, sizeof(*s));
	struct capture_options capture = {
		.resolver = r,
		.functions = options->functions,
		.with_requests = options->with_requests,
		.observers = &s->observers,
		.no_stop = options->no_stop,
		.max_stack = options->max_stack,
		.wait = options->wait
	};
	struct rlimit limit;

	/* Four descriptors per thread. */
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
	s->options = *options;
	s->holders = lock_holders_new();
	s->diagnosis = diagnosis_new();
	s->observers.processes = processes;
	s->observers.build_ids = build_ids_new();
	s->observers.events = options->events;
	capture.counter = s->counter = thread_state_counter();
	capture.tracer = s->tracer = ptrace_stop_new();
	if (s->tracer == NULL)
		err(2, "cannot start a thread");
	s->capture = capture_new(&capture);
	return s;
}

void
sampler_free(struct sampler *s)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		live_threads_free(s->process[i]);
	free(s->process);
	capture_free(s->capture);
	lock_holders_free(s->holders);
	diagnosis_free(s->diagnosis);
	lock_chain_free(&s->chain);
	ptrace_stop_free(s->tracer);
	build_ids_free(s->observers.build_ids);
	free(s);
}

void
sampler_take_stopped(struct sampler *s)
{
	capture_stopped(s->capture);
}

void
sampler_begin_sleep(struct sampler *s)
{
	ptrace_stop_raise_priority(s->tracer);
	ptrace_stop_begin_sleep(s->tracer);
}

void
sampler_end_sleep(struct sampler *s)
{
	ptrace_stop_end_sleep(s->tracer);
}

void
sampler_pause(struct sampler *s, uint64_t wait)
{
	ptrace_stop_drain(s->tracer, clock_ns(CLOCK_MONOTONIC) + wait);
}

struct sampler_counts
sampler_counts(const struct sampler *s)
{
	const struct capture_counts capture = capture_counts(s->capture);
	struct sampler_counts c = s->counts;

	c.interrupted_calls = ptrace_stop_interrupted_calls(s->tracer);
	c.timed_out = capture.timed_out;
	c.denied += capture.denied;
	c.bits32 = capture.bits32;
	c.rounds = s->rounds;
	c.no_run_count = s->counter == THREAD_STATE_NONE;
	return c;
}

struct lock_holder
sampler_lock_holder(const struct sampler *s)
{
	return lock_holders_first(s->holders);
}

void
sampler_diagnose(struct sampler *s, struct buf *out)
{
	diagnosis_print(s->diagnosis, s->rounds, out);
}

struct str
sampler_refusals(const struct sampler *s)
{
	return capture_refusals(s->capture);
}

/* Adding a process. */

/* Whether we may read the states of its threads. */
static bool
is_permitted(const struct sampler *s, int64_t pid)
{
	struct thread_state_files files;
	struct thread_state state;
	bool ok;
	int error;

	thread_state_open(&files, pid, pid);
	errno = 0;
	ok = thread_state_read(&files, s->counter, &state);
	error = errno;
	thread_state_close(&files);
	return ok || (error != EPERM && error != EACCES);
}

bool
sampler_has(const struct sampler *s, int64_t pid)
{
	size_t i;

	for (i = 0; i < s->n; i++) {
		if (s->process[i]->process.pid == pid)
			return true;
	}
	return false;
}

bool
sampler_has_any(const struct sampler *s)
{
	return s->n > 0;
}

bool
sampler_add(struct sampler *s, int64_t pid, struct buf *why)
{
	if (!live_threads_exists(pid)) {
		buf_printf(why, "there is no process %" PRId64, pid);
		return false;
	}
	if (!is_permitted(s, pid)) {
		buf_printf(why,
			   "no permission to read process %" PRId64
			   ": run as its user or root, or with CAP_SYS_PTRACE "
			   "and, for other users, CAP_DAC_READ_SEARCH; if "
			   "/proc/sys/kernel/yama/ptrace_scope is above 0, "
			   "CAP_SYS_PTRACE is needed, too",
			   pid);
		return false;
	}
	if (live_process_arch(pid) == NULL) {
		buf_printf(why, "process %" PRId64 " is not a 64-bit process",
			   pid);
		return false;
	}
	s->process = mem_grow(s->process, &s->cap, s->n + 1,
			      sizeof(*s->process));
	s->process[s->n++] = live_threads_new(pid);
	diagnosis_watch(s->diagnosis, pid);
	return true;
}

/* Listed to state read. */

/*
 * Whether to list the threads again.  If none has gone, and there are as many
 * as before, the list is the same.
 */
static bool
is_list_stale(const struct sampler *s, const struct live_threads *l)
{
	return l->stale || l->process.threads != l->n ||
	       s->options.match_name != NULL || s->options.consistent;
}

static bool
matches_name(const struct sampler *s, struct live_threads *l,
	     struct live_thread *t)
{
	if (s->options.match_name(s->options.arg, live_threads_name(l, t)))
		return true;
	if (l->process.maps_time != 0)
		capture_memory_name_thread(l, t, clock_ns(CLOCK_MONOTONIC));
	live_threads_retry_name(t);
	return s->options.match_name(s->options.arg, live_threads_name(l, t));
}

static void
select_unless(struct sampler *s, struct live_thread *t,
	      enum sampler_which which)
{
	t->round.selected = s->options.which != which;
	s->counts.state_mismatches += !t->round.selected;
}

/* Read the state of a thread, and select the thread by name and state. */
static void
read_state(struct sampler *s, struct live_threads *l, struct live_thread *t)
{
	struct thread_round *r = &t->round;

	if (s->options.match_name != NULL && !matches_name(s, l, t)) {
		s->counts.name_mismatches++;
		return;
	}
	r->time = clock_ns(CLOCK_MONOTONIC);
	/*
	 * After a long wait, the run count alone is read.  The thread may be
	 * ready to run by now, but only for a tiny part of all the time.
	 */
	r->long_wait = stack_cache_is_long_wait(&t->cache) &&
		       thread_state_unchanged(&t->files, s->counter,
					      &t->cache.state);
	if (r->long_wait) {
		select_unless(s, t, SAMPLER_RUNNING);
		return;
	}
	if (!thread_state_update(&t->files, s->counter, &r->state)) {
		s->counts.denied += errno == EPERM || errno == EACCES;
		live_threads_set_gone(l, t);
		return;
	}
	r->selected = false;
	/* A thread that has ended, and is not waited for, has no stack. */
	if (r->state.call.running)
		select_unless(s, t, SAMPLER_BLOCKED);
	else if (r->state.call.sp != 0)
		select_unless(s, t, SAMPLER_RUNNING);
}

/*
 * Read the states of a batch of threads, except those that were read since a
 * time.  Returns the end of the batch.  Priority is high, because threads stop
 * waiting while we wait for a CPU.
 */
static size_t
read_states(struct sampler *s, struct live_threads *l, size_t begin,
	    uint64_t since)
{
	const size_t end = l->n - begin < BATCH ? l->n : begin + BATCH;
	size_t i;

	ptrace_stop_raise_priority(s->tracer);
	for (i = begin; i < end; i++) {
		if (l->thread[i]->round.time < since)
			read_state(s, l, l->thread[i]);
		ptrace_stop_yield(s->tracer);
	}
	return end;
}

/* State read to captured. */

static void
capture_batch(struct sampler *s, struct live_threads *l, size_t begin,
	      size_t end, bool running)
{
	struct live_thread *t;
	struct thread_round *r;
	size_t i;

	for (i = begin; i < end; i++) {
		t = l->thread[i];
		r = &t->round;
		if ((r->state.call.running && !r->long_wait) != running)
			continue;
		if (r->selected) {
			r->selected = false;
			capture_thread(s->capture, l, t);
		}
		capture_stopped(s->capture);
	}
	capture_interrupt(s->capture, l);
}

/*
 * Capture all threads that were not captured since a time.  False if some have
 * gone, so that other threads may have come instead.
 */
static bool
capture_new_threads(struct sampler *s, struct live_threads *l, uint64_t since)
{
	size_t begin, end;

	for (begin = 0; begin < l->n; begin = end) {
		end = read_states(s, l, begin, since);
		capture_batch(s, l, begin, end, false);
		/* Last, so that little else is done while they are stopped. */
		capture_batch(s, l, begin, end, true);
	}
	return !l->stale;
}

static void
capture_consistent(struct sampler *s, struct live_threads *l)
{
	struct live_thread **selected = mem_zero(l->n + 1, sizeof(*selected));
	struct live_thread *t;
	size_t i, n = 0;

	for (i = 0; i < l->n; i++) {
		t = l->thread[i];
		read_state(s, l, t);
		if (!t->round.selected)
			continue;
		t->round.selected = false;
		live_threads_describe(t);
		selected[n++] = t;
	}
	capture_together(s->capture, l, selected, n);
	free(selected);
}

/* Captured to written. */

/* Find out whether a thread that is ready to run waits for a CPU. */
static bool
add_cpu(struct sampler *s, const struct captured *c,
	struct thread_sample *sample)
{
	struct cpu_share *cpu = &c->thread->cpu;
	const uint64_t ran = cpu->ran, queued = cpu->queued;
	/* A new thread waits for its first turn. */
	const bool has_run = s->counter != THREAD_STATE_SCHEDSTAT ||
			     c->state.run_count > 0;
	bool is_queued;

	cpu_share_update(cpu, c->time, &c->state);
	is_queued = c->state.call.running &&
		    !(has_run && cpu_share_is_running(cpu));
	if (is_queued)
		sample->label = STR("runqueue");
	diagnosis_add_cpu(s->diagnosis, c->process->process.pid,
			  &(struct cpu_time){ .time = c->time,
					      .ran = cpu->ran - ran,
					      .queued = cpu->queued - queued,
					      .is_queued = is_queued });
	return is_queued;
}

/* Find out why a thread waits.  False if the sample is not wanted. */
static bool
add_cause(struct sampler *s, const struct captured *c,
	  struct thread_sample *sample)
{
	struct live_thread *t = c->thread;

	lock_chain_clear(&s->chain);
	sample->chain = &s->chain;
	if (add_cpu(s, c, sample) && s->options.which == SAMPLER_RUNNING)
		return false;
	if (c->state.call.running)
		return true;
	wait_cause_update(c->process, t, s->counter, &c->state);
	sample->label = str_of(t->cause.label);
	sample->owner = t->cause.owner;
	sample->file = buf_slice(&t->cause.file);
	lock_chain_find(c->process, t, s->counter, &s->chain);
	diagnosis_add(s->diagnosis, c->process, t, &s->chain);
	return true;
}

static void
write_sample(struct sampler *s, const struct captured *c)
{
	const struct live_threads *l = c->process;
	const struct live_thread *t = c->thread;
	const struct proc_call *call = &c->state.call;
	const struct stack_frames *f = c->frames;
	struct thread_sample sample = {
		.time = c->time,
		.pid = l->process.pid,
		.tid = t->files.tid,
		.state = call->running ? 'R' : t->state,
		.call = call->running ?
			    STR("") :
			    thread_call_name(l->process.arch, t, call),
		.wchan = call->running ? STR("") : buf_slice(&t->wchan),
		.name = live_threads_name(l, t),
		.frame = f->frame,
		.n = f->n,
		.text = &c->frames->text,
		.text_key = &c->frames->text_key,
		.vm = &f->vm,
		.lock = f->lock,
		.truncated = f->truncated,
		.moving = f->moving
	};

	if (!add_cause(s, c, &sample))
		return;
	s->counts.samples++;
	s->counts.truncated += f->truncated;
	s->counts.guessed += f->guessed;
	s->counts.vm_samples += f->vm.n > 0;
	if (f->lock == INTERP_LOCK_HELD)
		lock_holders_add(s->holders, sample.tid, sample.name);
	s->counts.lock_waits += f->lock == INTERP_LOCK_WAITS;
	s->counts.unmerged += f->vm.unmerged;
	s->options.sample(s->options.arg, &sample);
}

/* Unwind and write all samples. */
static void
write_samples(struct sampler *s)
{
	struct captured c;

	while (capture_next(s->capture, &c))
		write_sample(s, &c);
}

/* Rounds. */

static void
read_maps(struct sampler *s, struct live_threads *l)
{
	if (l->n > 0)
		capture_memory_read_maps(s->capture, l,
					 l->thread[l->n - 1]->files.tid);
}

/* Sample all threads of a process; false if it has ended. */
static bool
sample_process(struct sampler *s, struct live_threads *l, uint64_t now)
{
	if (!live_process_check(&l->process, &s->observers, now) ||
	    (is_list_stale(s, l) && !live_threads_list(l)))
		return false;
	if (l->process.maps_time == 0)
		read_maps(s, l);
	if (s->options.consistent) {
		capture_consistent(s, l);
	} else if (!capture_new_threads(s, l, now)) {
		write_samples(s);
		if (live_threads_list(l))
			capture_new_threads(s, l, now);
	}
	capture_wait(s->capture);
	write_samples(s);
	s->counts.has_greenlets |= interp_has_greenlets(l->interp);
	if (!s->options.with_tasks) {
		s->counts.has_virtual |= interp_has_virtual(l->interp);
	} else if (s->options.which != SAMPLER_RUNNING) {
		task_samples(l, s->capture, &s->options, &s->counts);
		s->counts.lacks_virtual |= interp_lacks_virtual(l->interp);
	}
	if (!l->process.maps_current &&
	    now - l->process.maps_time >= MAPS_INTERVAL_NS)
		read_maps(s, l);
	return true;
}

bool
sampler_round(struct sampler *s)
{
	const uint64_t now = clock_ns(CLOCK_MONOTONIC);
	size_t i, kept = 0;

	s->rounds++;
	ptrace_stop_begin_round(s->tracer);
	capture_late(s->capture);
	for (i = 0; i < s->n && !s->options.consistent; i++)
		read_states(s, s->process[i], 0, now);
	capture_late(s->capture);
	write_samples(s);
	for (i = 0; i < s->n; i++) {
		if (sample_process(s, s->process[i], now)) {
			s->process[kept++] = s->process[i];
		} else {
			capture_forget(s->capture, s->process[i]);
			live_threads_free(s->process[i]);
		}
	}
	s->n = kept;
	ptrace_stop_drop_priority(s->tracer);
	return kept > 0;
}

void
sampler_finish(struct sampler *s, uint64_t wait)
{
	ptrace_stop_begin_round(s->tracer);
	capture_finish(s->capture, wait);
	write_samples(s);
	ptrace_stop_drain(s->tracer, 0);
}
