/* stackrecord - record samples of a command or of processes, without perf. */
#include "base/mem.h"
#include "cli/cmd.h"
#include "os/cgroup_folder.h"
#include "record/probe_guard.h"
#include "record/record_notes.h"
#include "record/recorder.h"
#include "record/recorder_add.h"
#include "sampler/pids.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	OPT_CGROUP = CMD_LONG,
	OPT_COMM,
	OPT_COMPRESS,
	OPT_LIST_PROBES,
	OPT_MAX_CPU,
	OPT_RING,
	OPT_STACK,
	OPT_STAT,
	OPT_UNTIL_BETWEEN,
	OPT_UNTIL_CALL,
	OPT_WALL
};

static const struct cmd_option options[] = {
	{ "all-cpus", 'a', NULL, "record all processes", false },
	{ "pid", 'p', "PID", "record these processes, separated by commas",
	  false },
	{ "comm", OPT_COMM, "NAME", "record the processes of this name",
	  false },
	{ "cgroup", OPT_CGROUP, "NAME",
	  "record a cgroup, by path or container id", false },
	{ "event", 'e', "EVENT", "record these events, named as in perf record",
	  false },
	{ "freq", 'F', "HZ", "sampling frequency (99)", false },
	{ "count", 'c', "N", "sample every N events", false },
	{ "duration", 'd', "SECONDS", "stop after this time", false },
	{ "stack", OPT_STACK, "BYTES",
	  "copied bytes per stack (8K, or 32K if deep)", false },
	{ "max-cpu", OPT_MAX_CPU, "PERCENT",
	  "record less above this share of one CPU", false },
	{ "ring", OPT_RING, "BYTES",
	  "keep the newest samples, write them at the end", false },
	{ "until-call", OPT_UNTIL_CALL, "ENTER,LEAVE>TIME",
	  "stop when a call takes longer than TIME", false },
	{ "until-between", OPT_UNTIL_BETWEEN, "ENTER,LEAVE>TIME",
	  "stop if LEAVE is that long after ENTER", false },
	{ "compress", OPT_COMPRESS, NULL, "compress the recording with zstd",
	  false },
	{ "wall", OPT_WALL, NULL, "record waits and their call chains", false },
	{ "stat", OPT_STAT, NULL, "count events; record nothing", false },
	{ "list-probes", OPT_LIST_PROBES, NULL,
	  "list the places of the probes of -e", false },
	{ "output", 'o', "FILE", "write to FILE, not to stdout", false },
	{ NULL, 0, NULL, NULL, false }
};

/* The largest copy that leaves room for the rest of a sample. */
#define LARGEST_STACK (UINT64_C(60) << 10)

struct stackrecord {
	struct cmd cmd;
	struct record_plan_options plan_options;
	struct event_requests events;
	struct record_plan plan;
	struct recorder *recorder;
	struct pids pids;
	struct cgroups {
		int *folder; /* descriptors */
		size_t n, cap;
	} cgroups;
	struct launch command;
	struct probe_guard guard;
	struct call_watch watch; /* with a bound, if one is wanted */
	uint64_t ring;           /* bytes of samples to keep; 0: all */
	bool list_probes;
	double seconds;
	double max_cpu; /* share of one CPU; 0: any */
	bool compress;
	const char *file; /* NULL: standard output */
	int output;
};

/* Options. */

static uint64_t
number(const struct stackrecord *job, const char *option, uint64_t most)
{
	uint64_t n;

	if (!str_u64(str_of(job->cmd.value), &n) || n == 0 || n > most)
		cmd_usage(&job->cmd,
			  "%s takes a number from 1 to %" PRIu64 ", not %s",
			  option, most, job->cmd.value);
	return n;
}

static void
add_pids(struct stackrecord *job)
{
	struct str rest = str_of(job->cmd.value);
	uint64_t pid;

	do {
		if (!str_u64(str_cut(&rest, ','), &pid) || pid == 0 ||
		    pid > INT32_MAX)
			cmd_usage(&job->cmd,
				  "-p takes numbers of processes, "
				  "not %s",
				  job->cmd.value);
		pids_add(&job->pids, (int64_t)pid);
	} while (rest.len > 0);
}

static void
add_comm(struct stackrecord *job)
{
	if (!pids_add_named(&job->pids, job->cmd.value))
		errx(CMD_ERROR, "there is no process %s", job->cmd.value);
}

static void
add_cgroup(struct stackrecord *job)
{
	struct cgroups *g = &job->cgroups;
	struct buf why = { 0 };
	const int folder = cgroup_folder_open(job->cmd.value, &why);

	if (folder < 0)
		errx(CMD_ERROR, "%.*s", (int)why.len, why.p);
	g->folder = mem_grow(g->folder, &g->cap, g->n + 1, sizeof(*g->folder));
	g->folder[g->n++] = folder;
	buf_free(&why);
}

static void
add_events(struct stackrecord *job)
{
	struct buf why = { 0 };

	if (!event_names_add(&job->events, job->cmd.value, &why))
		cmd_usage(&job->cmd, "-e: %.*s", (int)why.len, why.p);
	buf_free(&why);
}

static double
positive(const struct stackrecord *job, const char *what, double most)
{
	double value;
	char *end;

	value = strtod(job->cmd.value, &end);
	if (end == job->cmd.value || *end != '\0' ||
	    !(value > 0 && value <= most))
		cmd_usage(&job->cmd, "%s, at most %.0f, not %s", what, most,
			  job->cmd.value);
	return value;
}

static void
set_watch(struct stackrecord *job, bool last)
{
	job->watch = (struct call_watch){ .last = last };
	if (!call_watch_parse(&job->watch, str_of(job->cmd.value)))
		cmd_usage(&job->cmd,
			  "%s takes two names of events and a time, as in "
			  "in,out>50ms, not %s",
			  last ? "--until-between" : "--until-call",
			  job->cmd.value);
}

static void
set_stack(struct stackrecord *job)
{
	const uint64_t size = strcmp(job->cmd.value, "0") == 0 ?
				  0 :
				  cmd_size(&job->cmd, "stack");

	if (size > LARGEST_STACK)
		cmd_usage(&job->cmd, "--stack is at most 60K, not %s",
			  job->cmd.value);
	job->plan_options.stack = (uint32_t)(size + 7) & ~UINT32_C(7);
	job->plan_options.grow = false;
}

/* Apply an option about what to record; false if value is another. */
static bool
set_target(struct stackrecord *job, int value)
{
	switch (value) {
	case 'a':
		job->plan_options.whole_machine = true;
		break;
	case 'p':
		add_pids(job);
		break;
	case OPT_CGROUP:
		add_cgroup(job);
		break;
	case OPT_COMM:
		add_comm(job);
		break;
	default:
		return false;
	}
	return true;
}

static void
set_option(struct stackrecord *job, int value)
{
	struct record_plan_options *o = &job->plan_options;

	switch (value) {
	case 'e':
		add_events(job);
		break;
	case 'F':
		o->hz = number(job, "-F", 1000000);
		break;
	case 'c':
		o->period = number(job, "-c", INT64_MAX);
		break;
	case 'd':
		job->seconds = positive(job, "-d takes seconds", 1e6);
		break;
	case 'o':
		job->file = job->cmd.value;
		break;
	case OPT_COMPRESS:
		job->compress = true;
		break;
	case OPT_MAX_CPU:
		job->max_cpu =
		    positive(job, "--max-cpu takes a percentage", 100) / 100;
		break;
	case OPT_RING:
		job->ring = cmd_size(&job->cmd, "ring");
		break;
	case OPT_STACK:
		set_stack(job);
		break;
	case OPT_UNTIL_BETWEEN:
	case OPT_UNTIL_CALL:
		set_watch(job, value == OPT_UNTIL_BETWEEN);
		break;
	case OPT_STAT:
		o->stat = true;
		break;
	case OPT_LIST_PROBES:
		job->list_probes = true;
		break;
	case OPT_WALL:
		o->wall = true;
		break;
	default:
		break;
	}
}

static void
check_targets(struct stackrecord *job)
{
	struct record_plan_options *o = &job->plan_options;
	const int kinds = o->whole_machine + (job->pids.n > 0) +
			  (job->cgroups.n > 0);

	if (kinds > 1)
		cmd_usage(&job->cmd, "-a, -p and --cgroup exclude each other");
	if (kinds == 0 && job->cmd.nfile == 0)
		cmd_usage(&job->cmd, "nothing to record: use -a, -p, --comm, "
				     "--cgroup or a command");
	/* Otherwise the command only says how long to record. */
	o->on_exec = kinds == 0;
	if (job->cgroups.n > 0)
		o->whole_machine = true;
}

static void
parse(struct stackrecord *job, int argc, char *argv[])
{
	struct record_plan_options *o = &job->plan_options;
	int value;

	cmd_begin(&job->cmd, argc, argv);
	while ((value = cmd_next(&job->cmd)) != -1)
		if (!set_target(job, value))
			set_option(job, value);
	if (o->hz > 0 && o->period > 0)
		cmd_usage(&job->cmd, "-F and -c exclude each other");
	if (o->hz == 0 && o->period == 0)
		o->hz = 99;
	if (job->list_probes)
		return;
	check_targets(job);
	if (o->stat)
		job->file = "/dev/null";
	if (job->file != NULL && strcmp(job->file, "-") == 0)
		job->file = NULL;
	if (job->file == NULL && isatty(1))
		cmd_usage(&job->cmd, "will not write a binary recording to a "
				     "terminal: use -o FILE or a pipe");
}

/* The recording. */

/*
 * An older recording is emptied only when the new one begins.  Stacks hold
 * secrets of programs, so the file is for its owner.
 */
static void
open_output(struct stackrecord *job)
{
	const int flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY;

	job->output = 1;
	if (job->file == NULL)
		return;
	job->output = open(job->file, flags, 0600);
	if (job->output < 0)
		err(CMD_ERROR, "%s", job->file);
}

static void
empty_output(struct stackrecord *job)
{
	struct stat st;

	if (job->file != NULL && fstat(job->output, &st) == 0 &&
	    S_ISREG(st.st_mode) && ftruncate(job->output, 0) != 0)
		err(CMD_ERROR, "%s", job->file);
}

static const char *
output_name(const struct stackrecord *job)
{
	return job->file != NULL ? job->file : "standard output";
}

static void
prepare_command(struct stackrecord *job)
{
	if (job->cmd.nfile > 0 &&
	    !launch_prepare(&job->command, job->cmd.file, job->file == NULL))
		err(CMD_ERROR, "fork");
	/* These are writes that fail, and the command runs on. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
}

static void
add_targets(struct stackrecord *job)
{
	struct buf why = { 0 };
	bool ok = true;
	size_t i;

	for (i = 0; ok && i < job->cgroups.n; i++)
		ok = recorder_add_cgroup(job->recorder, job->cgroups.folder[i],
					 &why);
	if (job->plan_options.whole_machine && job->cgroups.n == 0)
		ok = recorder_add_machine(job->recorder, &why);
	else if (job->plan_options.on_exec)
		ok = recorder_add_child(job->recorder, job->command.pid, &why);
	for (i = 0; ok && i < job->pids.n; i++)
		ok = recorder_add_process(job->recorder, job->pids.pid[i],
					  &why);
	if (!ok)
		errx(CMD_ERROR, "%.*s", (int)why.len, why.p);
	buf_free(&why);
}

/* Statuses as those of a shell. */
static void
start_command(struct stackrecord *job)
{
	int error;

	if (job->command.pid == 0)
		return;
	error = launch_go(&job->command);
	if (error != 0) {
		warnx("%s: %s", *job->cmd.file, strerror(error));
		exit(error == ENOENT ? 127 : 126);
	}
}

/* Returns whether all was written. */
static bool
record(struct stackrecord *job)
{
	const enum recorder_end end = recorder_run(job->recorder, &job->command,
						   job->seconds);
	int error = recorder_error(job->recorder);

	if (error == 0 && job->file != NULL && close(job->output) != 0)
		error = errno;
	if (error != 0)
		warnx("%s: %s: the recording ends here", output_name(job),
		      strerror(error));
	if (job->plan_options.stat)
		record_notes_values(job->recorder, &job->plan);
	else
		record_notes_counts(job->recorder, &job->plan, job->cmd.quiet);
	if (job->watch.bound > 0)
		record_notes_call(&job->watch);
	if (end == RECORDER_SIGNAL)
		launch_stop(&job->command);
	else if (job->command.pid != 0)
		launch_wait(&job->command);
	return error == 0;
}

static void
begin(struct stackrecord *job)
{
	struct buf why = { 0 };

	open_output(job);
	if (!probe_guard_begin(&job->guard, &job->events, &why))
		errx(CMD_ERROR, "%.*s", (int)why.len, why.p);
	prepare_command(job);
	if (!record_plan_make(&job->plan, &job->events, &job->plan_options,
			      &why))
		errx(CMD_ERROR, "%.*s", (int)why.len, why.p);
	buf_free(&why);
	job->recorder = recorder_new(&job->plan, job->max_cpu);
	recorder_keep_newest(job->recorder, job->ring);
	if (job->watch.bound > 0 && !recorder_watch(job->recorder, &job->watch))
		errx(CMD_ERROR, "--until-%s: no events %.*s and %.*s in -e",
		     job->watch.last ? "between" : "call",
		     (int)job->watch.enter.len, job->watch.enter.p,
		     (int)job->watch.leave.len, job->watch.leave.p);
	add_targets(job);
	start_command(job);
	empty_output(job);
	recorder_begin(job->recorder, job->output, job->compress,
		       job->cmd.argv);
	if (!job->cmd.quiet)
		record_notes_plan(&job->plan);
}

/* Record as the options say; returns whether all was written. */
static bool
run(struct stackrecord *job)
{
	bool ok;

	begin(job);
	ok = record(job);
	recorder_free(job->recorder);
	record_plan_free(&job->plan);
	probe_guard_end(&job->guard);
	return ok;
}

int
main(int argc, char *argv[])
{
	struct stackrecord job = {
		.cmd = { .synopsis = "[options] [-- command "
				     "[argument ...]]",
			 .most_used = "all-cpus pid comm cgroup event freq "
				      "count duration stack wall ring "
				      "until-call max-cpu compress stat output "
				      "quiet",
			 .unconfined = true,
			 .summary = "Record samples and call chains of a "
				    "command or of processes.",
			 .options = options },
		.plan_options = { .stack = 8192, .grow = true },
		.command = { .go = -1, .failed = -1 }
	};
	bool ok = true;
	int status;

	parse(&job, argc, argv);
	if (job.list_probes)
		record_notes_probes(&job.events);
	else
		ok = run(&job);
	event_names_free(&job.events);
	pids_free(&job.pids);
	call_watch_free(&job.watch);
	free(job.cgroups.folder);
	status = cmd_done(&job.cmd);
	if (!ok)
		return CMD_ERROR;
	return job.command.pid != 0 ? launch_status(&job.command) : status;
}
