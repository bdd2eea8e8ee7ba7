/* stacksample - sample the stacks of all threads of running processes. */
#include "base/regex.h"
#include "base/utf8.h"
#include "cli/cmd.h"
#include "cli/pager.h"
#include "jit/jvm.h"
#include "os/capabilities.h"
#include "sampler/folded_writer.h"
#include "sampler/live_threads.h"
#include "sampler/pace.h"
#include "sampler/pids.h"
#include "sampler/raw_writer.h"
#include "sampler/runtime_query.h"

#include <err.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

#define SECOND 1000000000

enum {
	OPT_COMM = CMD_LONG,
	OPT_CONSISTENT,
	OPT_DUMP,
	OPT_FOLDED,
	OPT_MAX_CPU,
	OPT_MAX_STACK,
	OPT_NATIVE,
	OPT_NO_ASK_JVM,
	OPT_NO_NATIVE,
	OPT_NO_STOP,
	OPT_ONLY_BLOCKED,
	OPT_ONLY_RUNNING,
	OPT_RUNTIMES,
	OPT_SRCLINE,
	OPT_REQUEST,
	OPT_STATE,
	OPT_THREAD_NAME,
	OPT_TID,
	OPT_TRACEABLE,
	OPT_TRUST_MAPS
};

static const struct cmd_option options[] = {
	{ "pid", 'p', "PID", "sample this process", false },
	{ "comm", OPT_COMM, "NAME", "sample the processes of this name",
	  false },
	{ "frequency", 'F', "HZ", "times a second, 19 by default", false },
	{ "duration", 'd', "SECONDS", "for how long", false },
	{ "dump", OPT_DUMP, NULL,
	  "print the stacks of all threads once, equal ones together", false },
	{ "only-running", OPT_ONLY_RUNNING, NULL, "only threads that run",
	  false },
	{ "only-blocked", OPT_ONLY_BLOCKED, NULL, "only threads that wait",
	  false },
	{ "thread-name", OPT_THREAD_NAME, "REGEX", "only threads of such names",
	  false },
	{ "state", OPT_STATE, NULL,
	  "with --folded, what each thread does as its leaf", false },
	{ "tid", OPT_TID, NULL,
	  "with --folded, name, process and thread as root frame", false },
	{ "folded", OPT_FOLDED, NULL, "write folded text, a snapshot a second",
	  false },
	{ "native", OPT_NATIVE, NULL, "no frames of interpreters", false },
	{ "no-native", OPT_NO_NATIVE, NULL, "only frames of interpreters",
	  false },
	{ "srcline", OPT_SRCLINE, NULL,
	  "with --folded, lines of functions of interpreters", false },
	{ "request", OPT_REQUEST, NULL,
	  "begin with the request that PHP serves, its method and path",
	  false },
	{ "no-stop", OPT_NO_STOP, NULL, "stop no thread", false },
	{ "no-ask-jvm", OPT_NO_ASK_JVM, NULL,
	  "do not ask JVMs for the names of their code", false },
	{ "trust-maps", OPT_TRUST_MAPS, NULL,
	  "believe maps and jitdumps that other users left here", false },
	{ "consistent", OPT_CONSISTENT, NULL,
	  "stop all threads of a process together", false },
	{ "max-stack", OPT_MAX_STACK, "KIB",
	  "copy at most so much of a stack, 256 by default", false },
	{ "max-cpu", OPT_MAX_CPU, "PERCENT",
	  "sample less often where more of a CPU would be used", false },
	{ "runtimes", OPT_RUNTIMES, NULL,
	  "list processes with an interpreter that is known, and end", false },
	{ "traceable", OPT_TRACEABLE, NULL,
	  "only run the command, but let its caller look at it", false },
	{ NULL, 0, NULL, NULL, false }
};

struct stacksample {
	struct cmd cmd;
	struct sampler_options sampler_options;
	struct sampler *sampler;
	struct processes *processes;
	struct resolver *resolver;
	struct jit_refresh *jit;
	struct interp_functions *functions; /* NULL with --native */
	bool no_ask_jvm, trust_maps, traceable, runtimes;
	bool native, no_native, srcline;
	struct thread_dump *dump; /* with --dump */
	double hz, seconds;
	double max_cpu;   /* of one CPU; 0: any */
	double lowest_hz; /* that --max-cpu led to */
	bool folded, state, tid;
	struct regex *thread_name;
	struct pids pids;
	struct buf comm; /* of the processes; empty if there are several */
	struct raw_writer *raw_writer;       /* without --folded */
	struct folded_writer *folded_writer; /* with --folded */
	struct pager pager;                  /* shows output on a terminal */
};

static void
add_sample(void *arg, const struct thread_sample *s)
{
	struct stacksample *job = arg;

	job->cmd.tally.good++;
	if (job->folded)
		folded_writer_sample(job->folded_writer, s);
	else
		raw_writer_sample(job->raw_writer, s);
}

/* End a round. */
static void
flush(struct stacksample *job, bool last)
{
	jit_refresh_update(job->jit, last && !job->folded);
	if (job->folded)
		folded_writer_round(job->folded_writer, last);
	else
		raw_writer_round(job->raw_writer, last);
	if (ferror(stdout))
		err(CMD_ERROR, "standard output");
}

/* Options. */

static void
add_pid(struct stacksample *job, const char *arg)
{
	uint64_t pid;

	if (!str_u64(str_of(arg), &pid) || pid == 0 || pid > INT32_MAX)
		cmd_usage(&job->cmd, "-p takes the number of a process");
	if (!live_threads_exists((int64_t)pid))
		errx(CMD_ERROR, "there is no process %" PRIu64, pid);
	pids_add(&job->pids, (int64_t)pid);
}

/*
 * A number, with or without its unit.  Its limits make sure that it fits into
 * 64 bits as ns.
 */
static double
positive(const struct stacksample *job, const char *what, char unit)
{
	const double least = 1e-6, most = 1e6;
	char *end;
	double n = strtod(job->cmd.value, &end);

	if (*end == unit && unit != '\0')
		end++;
	if (end == job->cmd.value || *end != '\0' || !(n >= least && n <= most))
		cmd_usage(&job->cmd,
			  "%s takes a number from %f to %.0f, not %s", what,
			  least, most, job->cmd.value);
	return n;
}

static void
set_thread_name(struct stacksample *job)
{
	struct buf why = { 0 };
	size_t offset;

	job->thread_name = regex_new(str_of(job->cmd.value), false, &why,
				     &offset);
	if (job->thread_name == NULL)
		cmd_usage(&job->cmd, "--thread-name %s: %.*s", job->cmd.value,
			  (int)why.len, why.p);
	buf_free(&why);
}

static bool
match_name(void *arg, struct str name)
{
	const struct stacksample *job = arg;

	return regex_match(job->thread_name, name);
}

/* The boolean of an option that only sets one; NULL for others. */
static bool *
flag_of(struct stacksample *job, int value)
{
	switch (value) {
	case OPT_STATE:
		return &job->state;
	case OPT_TID:
		return &job->tid;
	case OPT_FOLDED:
		return &job->folded;
	case OPT_NATIVE:
		return &job->native;
	case OPT_NO_NATIVE:
		return &job->no_native;
	case OPT_REQUEST:
		return &job->sampler_options.with_requests;
	case OPT_SRCLINE:
		return &job->srcline;
	case OPT_NO_STOP:
		return &job->sampler_options.no_stop;
	case OPT_NO_ASK_JVM:
		return &job->no_ask_jvm;
	case OPT_RUNTIMES:
		return &job->runtimes;
	case OPT_TRACEABLE:
		return &job->traceable;
	case OPT_TRUST_MAPS:
		return &job->trust_maps;
	case OPT_CONSISTENT:
		return &job->sampler_options.consistent;
	default:
		return NULL;
	}
}

static void
set_option(struct stacksample *job, int value)
{
	struct sampler_options *o = &job->sampler_options;
	bool *flag = flag_of(job, value);

	if (flag != NULL) {
		*flag = true;
		return;
	}
	switch (value) {
	case 'p':
		add_pid(job, job->cmd.value);
		break;
	case 'F':
		job->hz = positive(job, "-F", '\0');
		break;
	case 'd':
		job->seconds = positive(job, "-d", '\0');
		break;
	case OPT_COMM:
		if (!pids_add_named(&job->pids, job->cmd.value))
			errx(CMD_ERROR, "there is no process %s",
			     job->cmd.value);
		break;
	case OPT_DUMP:
		if (job->dump == NULL)
			job->dump = thread_dump_new();
		break;
	case OPT_ONLY_RUNNING:
		o->which = SAMPLER_RUNNING;
		break;
	case OPT_ONLY_BLOCKED:
		o->which = SAMPLER_BLOCKED;
		break;
	case OPT_THREAD_NAME:
		set_thread_name(job);
		o->match_name = match_name;
		break;
	case OPT_MAX_CPU:
		job->max_cpu = positive(job, "--max-cpu", '%') / 100;
		break;
	case OPT_MAX_STACK:
		o->max_stack = (size_t)(positive(job, "--max-stack", '\0') *
					1024);
		break;
	default:
		break;
	}
}

/* The loop. */

/* Do what an event of the clock asks for; false at the end. */
static bool
handle_event(struct stacksample *job, struct pace *pace, enum pace_event event)
{
	/* A thread that waits for a disk, or in vfork(2), stops late. */
	const uint64_t patience = SECOND;

	switch (event) {
	case PACE_ROUND:
		/* First of all sample, because the program goes on. */
		return sampler_round(job->sampler);
	case PACE_CHILD:
		sampler_sigchld(job->sampler);
		return true;
	case PACE_STOP:
		sampler_pause(job->sampler, patience);
		pager_stop(&job->pager);
		pace_stop(pace);
		pager_continue(&job->pager);
		sampler_raise_priority(job->sampler);
		return true;
	default:
		return false;
	}
}

static void
loop(struct stacksample *job)
{
	struct pace *pace = pace_new(job->hz, (uint64_t)(job->seconds * SECOND),
				     job->max_cpu);
	/* On a busy machine a thread may wait so long for a CPU. */
	const uint64_t patience = SECOND / 2;
	enum pace_event event;
	bool alive = true, pager_ended = false;

	sampler_raise_priority(job->sampler);
	while (alive) {
		event = pace_wait(pace);
		alive = handle_event(job, pace, event);
		/* A SIGCHLD may stand for several children and threads. */
		pager_ended = pager_has_ended(&job->pager);
		if (pager_ended || pids_child_ended(&job->pids))
			break;
		if (event == PACE_ROUND && alive) {
			flush(job, false);
			sampler_raise_priority(job->sampler);
		}
	}
	sampler_finish(job->sampler, pager_ended ? 0 : patience);
	job->lowest_hz = pace_lowest_rate(pace);
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
		thread_dump_clear(job->dump);
		job->cmd.tally.good = 0;
		sampler_raise_priority(job->sampler);
		if (!sampler_round(job->sampler))
			break;
		sampler_finish(job->sampler, SECOND);
		jit_refresh_update(job->jit, false);
	}
	job->lowest_hz = job->hz;
	thread_dump_write(job->dump);
	if (ferror(stdout))
		err(CMD_ERROR, "standard output");
}

static void
note_jits(const struct stacksample *job)
{
	struct buf line = { 0 };

	for (; jit_note(jit_refresh_jit(job->jit), &line); line.len = 0)
		cmd_note(&job->cmd, "%.*s", (int)line.len, line.p);
	buf_free(&line);
}

/* Who waits for the lock of an interpreter, and who has it. */
static void
note_lock(const struct stacksample *job, const struct sampler_counts *c)
{
	const struct lock_holder h = sampler_lock_holder(job->sampler);
	const double share = (double)c->lock_waits / (double)c->samples;
	struct buf name = { 0 };

	utf8_escape(&name, h.name);
	if (h.tid == 0)
		cmd_note(&job->cmd,
			 "%.1f %% of the samples wait for the lock of the "
			 "interpreter",
			 100 * share);
	else
		cmd_note(&job->cmd,
			 "%.1f %% of the samples wait for the lock of the "
			 "interpreter; thread %" PRId64 " (%.*s) holds it in "
			 "%.0f %% of the samples that do",
			 100 * share, h.tid, (int)name.len, name.p,
			 100 * h.share);
	buf_free(&name);
}

static void
note_interpreters(const struct stacksample *job, const struct sampler_counts *c)
{
	struct str refusals = sampler_refusals(job->sampler), line;

	while (refusals.len > 0) {
		line = str_cut(&refusals, '\n');
		cmd_note(&job->cmd, "%.*s; only native frames are shown",
			 (int)line.len, line.p);
	}
	if (c->lock_waits > 0)
		note_lock(job, c);
	if (c->unmerged > 0)
		cmd_note(&job->cmd,
			 "%" PRIu64 " sample%s not merged: which native frames "
			 "belong to functions of the interpreter is unknown",
			 c->unmerged, str_plural(c->unmerged, "", "s"));
	if (job->no_native && c->vm_samples < c->samples)
		cmd_note(
		    &job->cmd,
		    "%" PRIu64 " sample%s without functions of an "
		    "interpreter, and left out",
		    c->samples - c->vm_samples,
		    str_plural(c->samples - c->vm_samples, " is", "s are"));
}

static void
note_counts(const struct stacksample *job)
{
	const struct sampler_counts c = sampler_counts(job->sampler);
	const double n = c.samples == 0 ? 1 : (double)c.samples;

	note_jits(job);
	note_interpreters(job, &c);
	if (c.no_run_count)
		cmd_note(&job->cmd, "this kernel does not count how often "
				    "threads run: all were stopped");
	if (job->lowest_hz < job->hz)
		cmd_note(&job->cmd,
			 "--max-cpu: down to %.3g samples a second, not %g",
			 job->lowest_hz, job->hz);
	if (c.truncated > 0)
		cmd_note(&job->cmd, "%.1f %% of the stacks are truncated",
			 100 * (double)c.truncated / n);
	if (c.interrupted_calls > 0)
		cmd_note(&job->cmd, "%" PRIu64 " %s stopped",
			 c.interrupted_calls,
			 str_plural(c.interrupted_calls,
				    "system call ended with EINTR as its "
				    "thread was",
				    "system calls ended with EINTR as their "
				    "threads were"));
	if (c.timed_out > 0)
		cmd_note(&job->cmd,
			 "%" PRIu64 " time%s a thread did not stop in time",
			 c.timed_out, str_plural(c.timed_out, "", "s"));
	if (c.denied > 0)
		cmd_note(&job->cmd,
			 "%" PRIu64 " time%s a thread could not be stopped: is "
			 "a debugger attached?",
			 c.denied, str_plural(c.denied, "", "s"));
	if (c.bits32 > 0)
		cmd_note(&job->cmd,
			 "%" PRIu64 " stack%s of 32 bits, and left out",
			 c.bits32, str_plural(c.bits32, " is", "s are"));
}

/*
 * Say why there is no sample.  It is no error if no thread ran, or none waited,
 * and only such threads were asked for.
 */
static void
note_empty(const struct stacksample *job, const struct sampler_counts *c)
{
	if (c->state_mismatches > 0)
		cmd_note(&job->cmd, "no thread %s",
			 job->sampler_options.which == SAMPLER_RUNNING ?
			     "ran" :
			     "waited");
	else if (c->name_mismatches > 0)
		errx(CMD_ERROR, "no thread has such a name");
	else
		errx(CMD_ERROR, "no thread could be read");
}

/* Whether a process is a JVM, or the command may become one. */
static bool
may_be_jvm(const struct stacksample *job)
{
	size_t i;

	for (i = 0; i < job->pids.n && !job->no_ask_jvm; i++) {
		if (job->cmd.nfile > 0 || jvm_may_be(job->pids.pid[i]))
			return true;
	}
	return false;
}

/* Give the processes to the sampler; one that has ended is left out. */
static void
add_processes(struct stacksample *job)
{
	struct buf why = { 0 };
	size_t i, n = 0;

	for (i = 0; i < job->pids.n; i++) {
		why.len = 0;
		if (sampler_add(job->sampler, job->pids.pid[i], &why)) {
			jit_refresh_add(job->jit, job->pids.pid[i]);
			n++;
		} else if (live_threads_exists(job->pids.pid[i])) {
			errx(CMD_ERROR, "%.*s", (int)why.len, why.p);
		}
	}
	/* Processes may end after they were found; that is an error if all do.
	 */
	if (n == 0)
		errx(CMD_ERROR, "%.*s", (int)why.len, why.p);
	buf_free(&why);
}

static void
begin(struct stacksample *job, struct perf_features *features)
{
	const struct jit_options jit = { .mangled = !job->folded,
					 .trust_all = job->trust_maps };
	struct resolve_options resolve = { 0 };
	struct folded_writer_options folded = { 0 };
	struct raw_writer_options raw = { 0 };
	struct buf why = { 0 };
	struct utsname u;

	if (uname(&u) == 0)
		features->osrelease = arena_str(&features->arena,
						str_of(u.release));
	job->processes = process_new();
	if (!job->native)
		job->functions = interp_functions_new();
	job->sampler_options.functions = job->functions;
	job->jit = jit_refresh_new(&jit, job->processes, !job->no_ask_jvm);
	resolve.jit = jit_refresh_jit(job->jit);
	job->resolver = resolve_new(&resolve, job->processes, features, &why);
	if (job->resolver == NULL)
		errx(CMD_ERROR, "%.*s", (int)why.len, why.p);
	if (job->folded) {
		/* A command has not begun, and has its caller's name. */
		if (job->cmd.nfile == 0)
			pids_name(&job->pids, &job->comm);
		else
			buf_str(&job->comm,
				str_basename(str_of(job->cmd.file[0])));
		folded = (struct folded_writer_options){
			.dump = job->dump,
			.resolver = job->resolver,
			.jit = job->jit,
			.functions = job->functions,
			.from = { buf_slice(&job->comm),
				  job->pids.n == 1 ? job->pids.pid[0] : -1 },
			.hz = job->hz,
			.with_state = job->state,
			.with_tid = job->tid,
			.no_native = job->no_native,
			.with_lines = job->srcline
		};
		job->folded_writer = folded_writer_new(&folded);
	} else {
		raw =
		    (struct raw_writer_options){ .hz = job->hz,
						 .jit = job->jit,
						 .functions = job->functions,
						 .no_native = job->no_native };
		job->raw_writer = raw_writer_new(&raw);
		job->sampler_options.events = (struct live_process_events){
			raw_writer_process, raw_writer_map, job->raw_writer
		};
	}
	job->sampler = sampler_new(&job->sampler_options, job->processes,
				   job->resolver);
	add_processes(job);
	buf_free(&why);
}

static void
finish(struct stacksample *job, struct perf_features *features)
{
	sampler_free(job->sampler);
	resolve_free(job->resolver);
	jit_refresh_free(job->jit);
	process_free(job->processes);
	raw_writer_free(job->raw_writer);
	folded_writer_free(job->folded_writer);
	cmd_check_pattern(&job->cmd, "thread-name", job->thread_name);
	interp_functions_free(job->functions);
	regex_free(job->thread_name);
	perffeat_free(features);
	thread_dump_free(job->dump);
	buf_free(&job->comm);
	pids_free(&job->pids);
}

/* Print the processes whose interpreted functions can be shown. */
static int
list_runtimes(struct stacksample *job)
{
	size_t i;

	for (i = 0; i < job->pids.n; i++) {
		if (runtime_query(job->pids.pid[i]))
			printf("%" PRId64 "\n", job->pids.pid[i]);
	}
	pids_free(&job->pids);
	return cmd_done(&job->cmd);
}

/* Refuse options that exclude each other, and begin the command. */
static void
check_options(struct stacksample *job)
{
	if (job->traceable && (job->cmd.nfile == 0 || job->pids.n > 0))
		cmd_usage(&job->cmd, "--traceable is for a command alone");
	if (job->traceable) {
		pids_exec_traceable(job->cmd.file);
		err(127, "%s", *job->cmd.file);
	}
	if (job->runtimes && job->cmd.nfile > 0)
		cmd_usage(&job->cmd, "--runtimes is for running processes");
	if (job->cmd.nfile > 0 && !pids_start(&job->pids, job->cmd.file))
		err(CMD_ERROR, "fork");
	if (job->pids.n == 0)
		cmd_usage(&job->cmd,
			  "which process?  -p, --comm, or a command");
	if (job->sampler_options.consistent && job->sampler_options.no_stop)
		cmd_usage(&job->cmd, "--consistent and --no-stop exclude each "
				     "other");
	if (job->dump != NULL && (job->seconds > 0 || job->cmd.nfile > 0))
		cmd_usage(&job->cmd,
			  "--dump looks once, at processes that run");
	if (job->native && job->no_native)
		cmd_usage(&job->cmd, "--native and --no-native exclude each "
				     "other");
}

/* Set what follows from other options; returns whether foldtop shows all. */
static bool
complete_options(struct stacksample *job)
{
	const bool paged = !job->folded && job->dump == NULL && isatty(1);

	job->sampler_options.sample = add_sample;
	job->sampler_options.arg = job;
	/* The next round comes after at least half an interval. */
	job->sampler_options.wait = (uint64_t)(SECOND / job->hz / 4);
	if (job->dump != NULL)
		job->srcline = true;
	if (paged || job->dump != NULL)
		job->folded = job->state = true;
	job->tid |= paged;
	return paged;
}

int
main(int argc, char *argv[])
{
	struct stacksample job = {
		.cmd = { .synopsis = "[options] [-- command "
				     "[argument ...]]",
			 .unconfined = true,
			 .summary = "Sample the stacks of all "
				    "threads of a process that "
				    "runs.",
			 .options = options },
		.hz = 19
	};
	struct perf_features features = { 0 };
	struct sampler_counts counts;
	bool paged;
	int value;

	job.sampler_options.max_stack = 256 << 10;
	cmd_begin(&job.cmd, argc, argv);
	while ((value = cmd_next(&job.cmd)) != -1)
		set_option(&job, value);
	check_options(&job);
	/* The command keeps its rights; nothing of it has been read yet. */
	capabilities_keep_ptrace(may_be_jvm(&job));
	if (job.runtimes)
		return list_runtimes(&job);
	paged = complete_options(&job);
	begin(&job, &features);
	if (paged)
		pager_start(&job.pager, "foldtop", *argv);
	if (job.dump != NULL)
		dump(&job);
	else
		loop(&job);
	pager_finish(&job.pager);
	note_counts(&job);
	counts = sampler_counts(job.sampler);
	finish(&job, &features);
	if (job.cmd.tally.good == 0)
		note_empty(&job, &counts);
	return cmd_done(&job.cmd);
}
