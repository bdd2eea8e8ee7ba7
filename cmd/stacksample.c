/* stacksample - sample the stacks of all threads of running processes. */
#include "cli/pager.h"
#include "jit/jvm.h"
#include "os/capabilities.h"
#include "os/clock.h"
#include "sampler/folded_writer.h"
#include "sampler/live_threads.h"
#include "sampler/pace.h"
#include "sampler/raw_writer.h"
#include "sampler/runtime_query.h"
#include "sampler/stacksample_notes.h"
#include "sampler/stacksample_options.h"

#include <err.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#define SECOND 1000000000

struct stacksample {
	struct stacksample_options options;
	struct sampler *sampler;
	struct processes *processes;
	struct resolver *resolver;
	struct jit_refresh *jit;
	struct interp_functions *functions; /* NULL with --native */
	double lowest_hz;                   /* that --max-cpu led to */
	double mean_hz;                     /* of all rounds */
	struct process_watch *watch;        /* NULL: no other processes */
	struct buf comm; /* of the processes; empty if there are several */
	struct raw_writer *raw_writer;       /* without --folded */
	struct folded_writer *folded_writer; /* with --folded */
	struct pager pager;                  /* shows output on a terminal */
};

static void
add_sample(void *arg, const struct thread_sample *s)
{
	struct stacksample *job = arg;

	job->options.cmd.tally.good++;
	if (job->options.folded)
		folded_writer_sample(job->folded_writer, s);
	else
		raw_writer_sample(job->raw_writer, s);
}

/* End a round. */
static void
flush(struct stacksample *job, bool last)
{
	jit_refresh_update(job->jit, last && !job->options.folded);
	if (job->options.folded)
		folded_writer_round(job->folded_writer, last);
	else
		raw_writer_round(job->raw_writer, last);
	if (ferror(stdout))
		err(CMD_ERROR, "standard output");
}

static bool
match_name(void *arg, struct str name)
{
	const struct stacksample *job = arg;

	return regex_match(job->options.thread_name, name);
}

/* The loop. */

/*
 * Whether there is a process again, or one may come in the time that was asked
 * for.
 */
static bool
may_come(const struct stacksample *job)
{
	return sampler_has_any(job->sampler) ||
	       (job->options.seconds > 0 &&
		job->options.watch_options.ncomm +
			job->options.watch_options.ncgroup >
		    0);
}

/* Do what an event of the clock asks for; false at the end. */
static bool
handle_event(struct stacksample *job, struct pace *pace, enum pace_event event)
{
	/* A thread that waits for a disk, or in vfork(2), stops late. */
	const uint64_t patience = SECOND;
	bool alive;

	switch (event) {
	case PACE_ROUND:
		/* First of all sample, because the program goes on. */
		alive = sampler_round(job->sampler);
		if (job->watch != NULL)
			process_watch_update(job->watch,
					     clock_ns(CLOCK_MONOTONIC));
		return alive || may_come(job);
	case PACE_NEWS:
		sampler_take_stopped(job->sampler);
		return true;
	case PACE_STOP:
		sampler_pause(job->sampler, patience);
		pager_stop(&job->pager);
		pace_stop(pace);
		pager_continue(&job->pager);
		return true;
	default:
		return false;
	}
}

static void
loop(struct stacksample *job)
{
	struct pace *pace = pace_new(job->options.hz,
				     (uint64_t)(job->options.seconds * SECOND),
				     job->options.max_cpu);
	/* On a busy machine a thread may wait so long for a CPU. */
	const uint64_t patience = SECOND / 2;
	enum pace_event event;
	bool alive = true, pager_ended = false;

	while (alive) {
		sampler_begin_sleep(job->sampler);
		event = pace_wait(pace);
		sampler_end_sleep(job->sampler);
		alive = handle_event(job, pace, event);
		/* One signal may stand for several children and threads. */
		pager_ended = pager_has_ended(&job->pager);
		if (pager_ended || pids_child_ended(&job->options.pids))
			break;
		if (event == PACE_ROUND && alive)
			flush(job, false);
	}
	sampler_finish(job->sampler, pager_ended ? 0 : patience);
	job->lowest_hz = pace_lowest_rate(pace);
	job->mean_hz = pace_mean_rate(pace);
	pace_free(pace);
	if (!pager_ended)
		flush(job, true);
}

/*
 * Look twice: the first time asks for the names of code that was made at run
 * time, and opens files.
 */
static void
dump(struct stacksample *job)
{
	int look;

	for (look = 0; look < 2; look++) {
		thread_dump_clear(job->options.dump);
		job->options.cmd.tally.good = 0;
		if (!sampler_round(job->sampler))
			break;
		sampler_finish(job->sampler, SECOND);
		jit_refresh_update(job->jit, false);
	}
	job->lowest_hz = job->mean_hz = job->options.hz;
	thread_dump_write(job->options.dump);
	if (ferror(stdout))
		err(CMD_ERROR, "standard output");
}

/* Whether a process is a JVM, or one that comes later may be one. */
static bool
may_be_jvm(const struct stacksample *job)
{
	const struct stacksample_options *o = &job->options;
	const struct process_watch_options *w = &o->watch_options;
	size_t i;

	if (o->no_ask_jvm || o->runtimes)
		return false;
	if (w->children || w->ncomm + w->ncgroup > 0)
		return true;
	for (i = 0; i < o->pids.n; i++) {
		if (jvm_may_be(o->pids.pid[i]))
			return true;
	}
	return false;
}

/*
 * Give up all rights but those to look at processes.  A process that can do no
 * more than to ask a JVM, as its user, keeps the rights for that.
 */
static void
confine(struct stacksample *job)
{
	struct stacksample_options *o = &job->options;
	struct sandbox may = { .reads_all = true,
			       .samples = true,
			       .child = job->pager.pid };

	if (may_be_jvm(job)) {
		capabilities_keep_ptrace(true);
		if (!jvm_broker_start())
			err(CMD_ERROR, "fork");
	}
	capabilities_keep_ptrace(false);
	o->cmd.may = &may;
	cmd_confine(&o->cmd, o->cmd.nfile);
	o->cmd.may = NULL;
}

/* Whether a JVM has to be asked for the names of its code. */
static bool
needs_names(const struct stacksample *job, int64_t pid)
{
	return job->options.native || job->options.no_ask_jvm ||
	       !jvm_may_be(pid) || runtime_query(pid) != RUNTIME_COMPILER;
}

/* For struct process_watch_options. */
static bool
has_process(void *arg, int64_t pid)
{
	const struct stacksample *job = arg;

	return sampler_has(job->sampler, pid);
}

static bool
try_process(struct stacksample *job, int64_t pid, struct buf *why)
{
	why->len = 0;
	if (!sampler_add(job->sampler, pid, why))
		return false;
	jit_refresh_add(job->jit, pid, needs_names(job, pid));
	return true;
}

/* A process that may not be looked at, or has ended, is left out. */
static void
add_process(void *arg, int64_t pid)
{
	struct buf why = { 0 };

	try_process(arg, pid, &why);
	buf_free(&why);
}

/* Only root may read a process for a moment, while it executes a program. */
static bool
try_for_a_moment(struct stacksample *job, int64_t pid, struct buf *why)
{
	const struct timespec pause = { 0, 10000000 };
	int tries;

	for (tries = 0; tries < 5; tries++) {
		if (tries > 0)
			nanosleep(&pause, NULL);
		if (try_process(job, pid, why))
			return true;
	}
	return false;
}

/* End with a message, which is not for the screen of a pager. */
__attribute__((noreturn)) static void
fail(struct stacksample *job, struct str why)
{
	pager_finish(&job->pager);
	errx(CMD_ERROR, "%.*s", (int)why.len, why.p);
}

/* Give the processes to the sampler; one that has ended is left out. */
static void
add_processes(struct stacksample *job)
{
	struct stacksample_options *o = &job->options;
	const bool by_name = o->watch_options.ncomm > 0;
	struct buf why = { 0 }, refusal = { 0 };
	size_t i, n = 0, refused = 0;
	int64_t pid;

	for (i = 0; i < o->pids.n; i++) {
		pid = o->pids.pid[i];
		if (by_name ? try_process(job, pid, &why) :
			      try_for_a_moment(job, pid, &why)) {
			n++;
		} else if (live_threads_exists(pid)) {
			/* Other users may run programs of the same name. */
			if (!by_name)
				fail(job, buf_slice(&why));
			if (refused++ == 0)
				buf_add(&refusal, why.p, why.len);
		}
	}
	if (n > 0 && refused > 0)
		cmd_note(&o->cmd, "skipping %zu %s: %.*s", refused,
			 str_plural(refused, "process", "processes"),
			 (int)refusal.len, refusal.p);
	buf_free(&refusal);
	o->watch_options.has = has_process;
	o->watch_options.add = add_process;
	o->watch_options.arg = job;
	job->watch = process_watch_new(&o->watch_options);
	if (job->watch != NULL)
		process_watch_update(job->watch, clock_ns(CLOCK_MONOTONIC));
	/* Processes may end after they were found; that is an error if all do.
	 */
	if (n == 0 && !sampler_has_any(job->sampler))
		fail(job, why.len > 0 ? buf_slice(&why) :
					STR("the cgroup has no processes"));
	buf_free(&why);
}

static void
begin_writer(struct stacksample *job)
{
	struct stacksample_options *o = &job->options;
	struct folded_writer_options folded = { 0 };
	struct raw_writer_options raw = { 0 };

	if (o->folded) {
		/* A command has not begun, and has its caller's name. */
		if (o->cmd.nfile == 0)
			pids_name(&o->pids, &job->comm);
		else
			buf_str(&job->comm,
				str_basename(str_of(o->cmd.file[0])));
		folded = (struct folded_writer_options){
			.dump = o->dump,
			.resolver = job->resolver,
			.jit = job->jit,
			.functions = job->functions,
			.from = { buf_slice(&job->comm),
				  o->pids.n == 1 ? o->pids.pid[0] : -1 },
			.hz = o->hz,
			.with_state = o->state,
			.with_blockers = o->blockers,
			.with_tid = o->tid,
			.no_native = o->no_native,
			.with_lines = o->srcline
		};
		job->folded_writer = folded_writer_new(&folded);
	} else {
		raw = (struct raw_writer_options){ .hz = o->hz,
						   .jit = job->jit,
						   .functions = job->functions,
						   .no_native = o->no_native };
		job->raw_writer = raw_writer_new(&raw);
		o->sampler_options.events = (struct live_process_events){
			raw_writer_process, raw_writer_map, job->raw_writer
		};
	}
}

static void
begin(struct stacksample *job, struct perf_features *features)
{
	struct stacksample_options *o = &job->options;
	const struct jit_options jit = { .mangled = !o->folded,
					 .trust_all = o->trust_maps };
	struct resolve_options resolve = { .lines = o->folded && o->srcline };
	struct buf why = { 0 };
	struct utsname u;

	if (uname(&u) == 0)
		features->osrelease = arena_str(&features->arena,
						str_of(u.release));
	job->processes = process_new();
	if (!o->native)
		job->functions = interp_functions_new();
	o->sampler_options.functions = job->functions;
	job->jit = jit_refresh_new(&jit, job->processes, !o->no_ask_jvm);
	resolve.jit = jit_refresh_jit(job->jit);
	job->resolver = resolve_new(&resolve, job->processes, features, &why);
	if (job->resolver == NULL)
		fail(job, buf_slice(&why));
	begin_writer(job);
	o->sampler_options.sample = add_sample;
	o->sampler_options.arg = job;
	if (o->thread_name != NULL)
		o->sampler_options.match_name = match_name;
	job->sampler = sampler_new(&o->sampler_options, job->processes,
				   job->resolver);
	add_processes(job);
	buf_free(&why);
}

static void
write_notes(const struct stacksample *job)
{
	const struct stacksample_notes notes = { .options = &job->options,
						 .sampler = job->sampler,
						 .jit = job->jit,
						 .lowest_hz = job->lowest_hz,
						 .mean_hz = job->mean_hz };

	stacksample_notes_print(&notes);
}

static void
finish(struct stacksample *job, struct perf_features *features)
{
	struct stacksample_options *o = &job->options;
	sampler_free(job->sampler);
	resolve_free(job->resolver);
	jit_refresh_free(job->jit);
	process_free(job->processes);
	raw_writer_free(job->raw_writer);
	folded_writer_free(job->folded_writer);
	cmd_check_pattern(&o->cmd, "thread-name", o->thread_name);
	interp_functions_free(job->functions);
	perffeat_free(features);
	buf_free(&job->comm);
	process_watch_free(job->watch);
	stacksample_options_free(o);
}

/* Print the processes whose interpreted functions, or tasks, can be shown. */
static int
list_runtimes(struct stacksample *job)
{
	struct stacksample_options *o = &job->options;
	enum runtime runtime;
	size_t i;

	for (i = 0; i < o->pids.n; i++) {
		runtime = runtime_query(o->pids.pid[i]);
		if (runtime == RUNTIME_INTERPRETER ||
		    (runtime == RUNTIME_TASKS && o->sampler_options.with_tasks))
			printf("%" PRId64 "\n", o->pids.pid[i]);
	}
	stacksample_options_free(o);
	return cmd_done(&o->cmd);
}

int
main(int argc, char *argv[])
{
	struct stacksample job = { 0 };
	struct stacksample_options *o = &job.options;
	struct perf_features features = { 0 };
	struct sampler_counts counts;
	bool paged;

	stacksample_options_read(o, argc, argv);
	paged = !o->folded && o->dump == NULL && isatty(1);
	if (paged)
		o->folded = o->state = o->blockers = o->tid = true;
	if (paged && !o->runtimes)
		pager_start(&job.pager, "foldtop", *argv);
	/* The command keeps its rights; nothing of it has been read yet. */
	confine(&job);
	if (o->runtimes)
		return list_runtimes(&job);
	begin(&job, &features);
	if (o->dump != NULL)
		dump(&job);
	else
		loop(&job);
	pager_finish(&job.pager);
	write_notes(&job);
	counts = sampler_counts(job.sampler);
	finish(&job, &features);
	if (o->cmd.tally.good == 0)
		stacksample_notes_empty(o, &counts);
	return cmd_done(&o->cmd);
}
