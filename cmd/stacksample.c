/* stacksample - the stacks of all threads of a process that runs. */
#include "cmd.h"
#include "foldlive.h"
#include "jvm.h"
#include "rawout.h"
#include "regex.h"
#include "rights.h"
#include "tasks.h"
#include "viewer.h"
#include "watch.h"

#include <err.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

#define SECOND 1000000000

enum {
	OPT_COMM = CMD_LONG,
	OPT_CONSISTENT,
	OPT_FOLDED,
	OPT_MAX_CPU,
	OPT_MAX_STACK,
	OPT_NO_ASK_JVM,
	OPT_NO_STOP,
	OPT_ONLY_BLOCKED,
	OPT_ONLY_RUNNING,
	OPT_STATE,
	OPT_THREAD_NAME,
	OPT_TRACEABLE,
	OPT_TRUST_MAPS
};

static const struct cmd_option options[] = {
	{ "pid", 'p', "PID", "sample this process", false },
	{ "comm", OPT_COMM, "NAME", "sample the processes of this name",
	  false },
	{ "frequency", 'F', "HZ", "times a second, 19 by default", false },
	{ "duration", 'd', "SECONDS", "for how long", false },
	{ "only-running", OPT_ONLY_RUNNING, NULL, "only threads that run",
	  false },
	{ "only-blocked", OPT_ONLY_BLOCKED, NULL, "only threads that wait",
	  false },
	{ "thread-name", OPT_THREAD_NAME, "REGEX", "only threads of such names",
	  false },
	{ "state", OPT_STATE, NULL,
	  "with --folded, what each thread does as its leaf", false },
	{ "folded", OPT_FOLDED, NULL, "write folded text, a snapshot a second",
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
	{ "traceable", OPT_TRACEABLE, NULL,
	  "only run the command, but let its caller look at it", false },
	{ NULL, 0, NULL, NULL, false }
};

struct job {
	struct cmd cmd;
	struct sampler_options sampler_options;
	struct sampler *sampler;
	struct processes *processes;
	struct resolver *resolver;
	struct jitnow *jit;
	bool no_ask, trust_maps, traceable;
	double hz, seconds;
	double max_cpu; /* of one CPU; 0: any */
	double slowest; /* as it turned out, in Hz */
	bool folded, state;
	struct regex *thread_name;
	struct watched watched;
	struct rawout *raw;    /* where samples go, or */
	struct foldlive *live; /* if folded */
	struct viewer viewer;  /* of what goes to a terminal */
};

static void
take_sample(void *arg, const struct sampled *s)
{
	struct job *job = arg;

	job->cmd.tally.good++;
	if (job->folded)
		foldlive_sample(job->live, s);
	else
		rawout_sample(job->raw, s);
}

/* One round is over. */
static void
flush(struct job *job, bool last)
{
	jitnow_update(job->jit, last && !job->folded);
	if (job->folded)
		foldlive_round(job->live, last);
	else
		rawout_round(job->raw, last);
	if (ferror(stdout))
		err(CMD_ERROR, "standard output");
}

/* Options. */

static void
add_number(struct job *job, const char *arg)
{
	uint64_t pid;

	if (!str_u64(str_of(arg), &pid) || pid == 0 || pid > INT32_MAX)
		cmd_usage(&job->cmd, "-p takes the number of a process");
	if (!tasks_exists((int64_t)pid))
		errx(CMD_ERROR, "there is no process %" PRIu64, pid);
	watch_pid(&job->watched, (int64_t)pid);
}

/*
 * A number, behind which may stand a unit; within limits that leave room to
 * compute with it as ns.
 */
static double
positive(const struct job *job, const char *what, char unit)
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
set_thread_name(struct job *job)
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
wants(void *arg, struct str name)
{
	const struct job *job = arg;

	return regex_match(job->thread_name, name);
}

static void
set_option(struct job *job, int value)
{
	struct sampler_options *o = &job->sampler_options;

	switch (value) {
	case 'p':
		add_number(job, job->cmd.value);
		break;
	case 'F':
		job->hz = positive(job, "-F", '\0');
		break;
	case 'd':
		job->seconds = positive(job, "-d", '\0');
		break;
	case OPT_COMM:
		if (!watch_named(&job->watched, job->cmd.value))
			errx(CMD_ERROR, "there is no process %s",
			     job->cmd.value);
		break;
	case OPT_ONLY_RUNNING:
		o->which = SAMPLER_RUNNING;
		break;
	case OPT_ONLY_BLOCKED:
		o->which = SAMPLER_BLOCKED;
		break;
	case OPT_THREAD_NAME:
		set_thread_name(job);
		o->wants = wants;
		break;
	case OPT_STATE:
		job->state = true;
		break;
	case OPT_FOLDED:
		job->folded = true;
		break;
	case OPT_NO_STOP:
		o->no_stop = true;
		break;
	case OPT_NO_ASK_JVM:
		job->no_ask = true;
		break;
	case OPT_TRACEABLE:
		job->traceable = true;
		break;
	case OPT_TRUST_MAPS:
		job->trust_maps = true;
		break;
	case OPT_CONSISTENT:
		o->consistent = true;
		break;
	case OPT_MAX_CPU:
		job->max_cpu = positive(job, "--max-cpu", '%') / 100;
		break;
	case OPT_MAX_STACK:
		o->stack = (size_t)(positive(job, "--max-stack", '\0') * 1024);
		break;
	default:
		break;
	}
}

/* The loop. */

/* Do what there is to do; false at the end. */
static bool
wake_up(struct job *job, struct pace *pace, enum pace_wake wake)
{
	/* What waits for a disk, as a child of vfork(2) may, stops later. */
	const uint64_t patience = SECOND;

	switch (wake) {
	case PACE_LOOK:
		/* First of all look, for the program goes on. */
		return sampler_round(job->sampler);
	case PACE_CHILD:
		sampler_signalled(job->sampler);
		return true;
	case PACE_STOP:
		sampler_rest(job->sampler, patience);
		pace_stop(pace);
		sampler_ready(job->sampler);
		return true;
	default:
		return false;
	}
}

static void
loop(struct job *job)
{
	struct pace *pace = pace_new(job->hz, (uint64_t)(job->seconds * SECOND),
				     job->max_cpu);
	enum pace_wake wake;
	bool alive = true, unseen = false;

	sampler_ready(job->sampler);
	while (alive) {
		wake = pace_wait(pace);
		alive = wake_up(job, pace, wake);
		/* One signal may be of a child and of threads held. */
		unseen = viewer_has_ended(&job->viewer);
		if (unseen || watch_has_ended(&job->watched))
			break;
		if (wake == PACE_LOOK && alive) {
			flush(job, false);
			sampler_ready(job->sampler);
		}
	}
	/* What follows may last. */
	sampler_rest(job->sampler, 0);
	job->slowest = pace_slowest(pace);
	pace_free(pace);
	if (!unseen)
		flush(job, true);
}

static void
say_of_jits(const struct job *job)
{
	struct buf line = { 0 };

	for (; jit_note(jitnow_jit(job->jit), &line); line.len = 0)
		cmd_note(&job->cmd, "%.*s", (int)line.len, line.p);
	buf_free(&line);
}

static void
say(const struct job *job)
{
	const struct sampler_counts c = sampler_counts(job->sampler);
	const double n = c.threads == 0 ? 1 : (double)c.threads;

	say_of_jits(job);
	if (c.untrusted)
		cmd_note(&job->cmd, "this kernel does not count how often "
				    "threads run: all were stopped");
	if (job->slowest < job->hz)
		cmd_note(&job->cmd,
			 "--max-cpu: down to %.3g samples a second, not %g",
			 job->slowest, job->hz);
	if (c.truncated > 0)
		cmd_note(&job->cmd, "%.1f %% of the stacks are truncated",
			 100 * (double)c.truncated / n);
	if (c.interrupts > 0)
		cmd_note(&job->cmd, "%" PRIu64 " %s stopped", c.interrupts,
			 str_plural(c.interrupts,
				    "system call ended with EINTR as its "
				    "thread was",
				    "system calls ended with EINTR as their "
				    "threads were"));
	if (c.late > 0)
		cmd_note(&job->cmd,
			 "%" PRIu64 " time%s a thread did not stop in time",
			 c.late, str_plural(c.late, "", "s"));
	if (c.denied > 0)
		cmd_note(&job->cmd,
			 "%" PRIu64 " time%s a thread could not be stopped: is "
			 "a debugger attached?",
			 c.denied, str_plural(c.denied, "", "s"));
	if (c.foreign > 0)
		cmd_note(&job->cmd,
			 "%" PRIu64 " stack%s of 32 bits, and left out",
			 c.foreign, str_plural(c.foreign, " is", "s are"));
}

/* No stack is a good answer where there is none of what was asked for. */
static void
say_why_empty(const struct job *job, const struct sampler_counts *c)
{
	if (c->unwanted > 0)
		cmd_note(&job->cmd, "no thread %s",
			 job->sampler_options.which == SAMPLER_RUNNING ?
			     "ran" :
			     "waited");
	else if (c->unnamed > 0)
		errx(CMD_ERROR, "no thread has such a name");
	else
		errx(CMD_ERROR, "no thread could be read");
}

/* Whether a process is a JVM, or a command may come to be one. */
static bool
may_ask(const struct job *job)
{
	size_t i;

	for (i = 0; i < job->watched.n && !job->no_ask; i++) {
		if (job->cmd.nfile > 0 || jvm_begins(job->watched.pid[i]))
			return true;
	}
	return false;
}

static void
begin(struct job *job, struct perf_features *features)
{
	const struct jit_options jit = { .mangled = !job->folded,
					 .trust_all = job->trust_maps };
	struct resolve_options resolve = { 0 };
	struct buf why = { 0 };
	struct utsname u;
	size_t i, n = 0;

	if (uname(&u) == 0)
		features->osrelease = arena_str(&features->arena,
						str_of(u.release));
	job->processes = processes_new();
	job->jit = jitnow_new(&jit, job->processes, !job->no_ask);
	resolve.jit = jitnow_jit(job->jit);
	job->resolver = resolver_new(&resolve, job->processes, features);
	if (job->folded) {
		job->live = foldlive_new(job->resolver, job->jit, job->hz,
					 job->state);
	} else {
		job->raw = rawout_new(job->hz, job->jit);
		job->sampler_options.news = (struct target_news){
			rawout_process, rawout_map, job->raw
		};
	}
	job->sampler = sampler_new(&job->sampler_options, job->processes,
				   job->resolver);
	for (i = 0; i < job->watched.n; i++) {
		why.len = 0;
		if (sampler_add(job->sampler, job->watched.pid[i], &why)) {
			jitnow_add(job->jit, job->watched.pid[i]);
			n++;
		} else if (tasks_exists(job->watched.pid[i])) {
			errx(CMD_ERROR, "%.*s", (int)why.len, why.p);
		}
	}
	/* One that has ended since it was found is missed if it was the last.
	 */
	if (n == 0)
		errx(CMD_ERROR, "%.*s", (int)why.len, why.p);
	buf_free(&why);
}

static void
finish(struct job *job, struct perf_features *features)
{
	sampler_free(job->sampler);
	resolver_free(job->resolver);
	jitnow_free(job->jit);
	processes_free(job->processes);
	rawout_free(job->raw);
	foldlive_free(job->live);
	regex_free(job->thread_name);
	perffeat_free(features);
	watch_free(&job->watched);
}

int
main(int argc, char *argv[])
{
	struct job job = { .cmd = { .synopsis = "[options] [-- command "
						"[argument ...]]",
				    .unconfined = true,
				    .summary = "Sample the stacks of all "
					       "threads of a process that "
					       "runs.",
				    .options = options },
			   .hz = 19 };
	struct perf_features features = { 0 };
	struct sampler_counts counts;
	bool views;
	int value;

	job.sampler_options.stack = 256 << 10;
	cmd_begin(&job.cmd, argc, argv);
	while ((value = cmd_next(&job.cmd)) != -1)
		set_option(&job, value);
	if (job.traceable && (job.cmd.nfile == 0 || job.watched.n > 0))
		cmd_usage(&job.cmd, "--traceable is for a command alone");
	if (job.traceable)
		watch_become(job.cmd.file);
	if (job.cmd.nfile > 0)
		watch_start(&job.watched, job.cmd.file);
	if (job.watched.n == 0)
		cmd_usage(&job.cmd, "which process?  -p, --comm, or a command");
	if (job.sampler_options.consistent && job.sampler_options.no_stop)
		cmd_usage(&job.cmd, "--consistent and --no-stop exclude each "
				    "other");
	/* The command has its own, and nothing was read of it yet. */
	rights_keep_to_look(may_ask(&job));
	job.sampler_options.sample = take_sample;
	job.sampler_options.arg = &job;
	/* The next look comes after half an interval at least. */
	job.sampler_options.wait = (uint64_t)(SECOND / job.hz / 4);
	views = !job.folded && isatty(1);
	if (views)
		job.folded = job.state = true;
	begin(&job, &features);
	if (views)
		viewer_start(&job.viewer, "foldtop", *argv);
	loop(&job);
	viewer_finish(&job.viewer);
	say(&job);
	counts = sampler_counts(job.sampler);
	finish(&job, &features);
	if (job.cmd.tally.good == 0)
		say_why_empty(&job, &counts);
	return cmd_done(&job.cmd);
}
