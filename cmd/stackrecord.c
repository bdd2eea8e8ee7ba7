/* stackrecord - record samples of a command or of processes, without perf. */
#include "base/mem.h"
#include "cli/cmd.h"
#include "record/cgroup_folder.h"
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
	OPT_MAX_CPU,
	OPT_STACK,
	OPT_WALL
};

static const struct cmd_option options[] = {
	{ "all-cpus", 'a', NULL, "record all processes", false },
	{ "pid", 'p', "PID", "record these processes, separated by commas",
	  false },
	{ "comm", OPT_COMM, "NAME", "record the processes of this name",
	  false },
	{ "cgroup", OPT_CGROUP, "NAME",
	  "record a cgroup, by its path or the id of its container", false },
	{ "event", 'e', "EVENT", "record these events, as in perf record",
	  false },
	{ "freq", 'F', "HZ", "samples a second, 99 by default", false },
	{ "count", 'c', "N", "a sample for each N events", false },
	{ "duration", 'd', "SECONDS", "for how long", false },
	{ "stack", OPT_STACK, "SIZE",
	  "bytes of each stack, by default 8K, or 32K where it is deep",
	  false },
	{ "max-cpu", OPT_MAX_CPU, "PERCENT",
	  "of one CPU; record fewer samples if we take more", false },
	{ "compress", OPT_COMPRESS, NULL, "compress the recording with zstd",
	  false },
	{ "wall", OPT_WALL, NULL, "record waits, too, with their stacks",
	  false },
	{ "output", 'o', "FILE", "write to a file, not to standard output",
	  false },
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

static void
set_option(struct stackrecord *job, int value)
{
	struct record_plan_options *o = &job->plan_options;

	switch (value) {
	case 'a':
		o->whole_machine = true;
		break;
	case 'p':
		add_pids(job);
		break;
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
	case OPT_CGROUP:
		add_cgroup(job);
		break;
	case OPT_COMM:
		add_comm(job);
		break;
	case OPT_COMPRESS:
		job->compress = true;
		break;
	case OPT_MAX_CPU:
		job->max_cpu =
		    positive(job, "--max-cpu takes a percentage", 100) / 100;
		break;
	case OPT_STACK:
		set_stack(job);
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
		cmd_usage(&job->cmd, "record what?  -a, -p, --comm, --cgroup, "
				     "or a command");
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
		set_option(job, value);
	if (o->hz > 0 && o->period > 0)
		cmd_usage(&job->cmd, "-F and -c exclude each other");
	if (o->hz == 0 && o->period == 0)
		o->hz = 99;
	check_targets(job);
	if (job->file != NULL && strcmp(job->file, "-") == 0)
		job->file = NULL;
	if (job->file == NULL && isatty(1))
		cmd_usage(&job->cmd, "a recording is no text for a terminal: "
				     "use -o FILE, or a pipe");
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

static void
note_plan(const struct stackrecord *job)
{
	const struct record_plan *p = &job->plan;

	if (p->no_kernel)
		cmd_note(&job->cmd, "kernel functions are not recorded, as "
				    "kernel.perf_event_paranoid is above 1");
	if (p->no_wait_stacks)
		cmd_note(&job->cmd,
			 "waits are recorded without stacks: these need "
			 "kernel.perf_event_paranoid at 1, or root");
	if (p->lowered_hz > 0)
		cmd_note(&job->cmd,
			 "%" PRIu64 " samples a second: the limit is "
			 "kernel.perf_event_max_sample_rate",
			 p->lowered_hz);
}

static void
print_counts(const struct stackrecord *job, const struct recorder_counts *c)
{
	const struct record_plan *p = &job->plan;
	size_t i;

	fprintf(stderr, "%s: %" PRIu64 " %s of ", program_invocation_short_name,
		c->samples, str_plural(c->samples, "sample", "samples"));
	for (i = 0; i < p->counters.n; i++)
		fprintf(stderr, "%s%.*s", i > 0 ? ", " : "",
			(int)p->names->event[i].name.len,
			p->names->event[i].name.p);
	if (p->no_cycles)
		fprintf(stderr, " (this machine counts no cycles)");
	fprintf(stderr,
		", %.1f MB; the recorder took %.2f s of CPU, %.1f %% of one\n",
		(double)c->bytes / 1e6, c->cpu, 100 * c->cpu_share);
}

static void
note_counts(const struct stackrecord *job)
{
	const struct recorder_counts c = recorder_counts(job->recorder);

	if (!job->cmd.quiet)
		print_counts(job, &c);
	if (c.times > 1)
		cmd_note(&job->cmd,
			 "to take less CPU, it wrote one of %u samples in the "
			 "end, with their weight",
			 c.times);
	if (c.unsampled > c.counted / 10)
		cmd_note(&job->cmd,
			 "%.0f %% of the time has no stack, as threads ended "
			 "before they were sampled: record with a higher -F",
			 100 * (double)c.unsampled / (double)c.counted);
	if (c.lost > 0)
		warnx("%" PRIu64 " %s lost: record with a lower -F, a smaller "
		      "--stack, or to a faster output",
		      c.lost, str_plural(c.lost, "record was", "records were"));
	if (c.throttled > 0)
		cmd_note(&job->cmd,
			 "the kernel paused the event %" PRIu64 " time%s: "
			 "record with a lower -F",
			 c.throttled, str_plural(c.throttled, "", "s"));
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
	note_counts(job);
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
	prepare_command(job);
	if (!record_plan_make(&job->plan, &job->events, &job->plan_options,
			      &why))
		errx(CMD_ERROR, "%.*s", (int)why.len, why.p);
	buf_free(&why);
	job->recorder = recorder_new(&job->plan, job->max_cpu);
	add_targets(job);
	start_command(job);
	empty_output(job);
	recorder_begin(job->recorder, job->output, job->compress,
		       job->cmd.argv);
	note_plan(job);
}

int
main(int argc, char *argv[])
{
	struct stackrecord job = {
		.cmd = { .synopsis = "[options] [-- command "
				     "[argument ...]]",
			 .unconfined = true,
			 .summary = "Record samples with the stacks of "
				    "a command or of processes.",
			 .options = options },
		.plan_options = { .stack = 8192, .grow = true },
		.command = { .go = -1, .failed = -1 }
	};
	bool ok;
	int status;

	parse(&job, argc, argv);
	begin(&job);
	ok = record(&job);
	recorder_free(job.recorder);
	record_plan_free(&job.plan);
	event_names_free(&job.events);
	pids_free(&job.pids);
	free(job.cgroups.folder);
	status = cmd_done(&job.cmd);
	if (!ok)
		return CMD_ERROR;
	return job.command.pid != 0 ? launch_status(&job.command) : status;
}
