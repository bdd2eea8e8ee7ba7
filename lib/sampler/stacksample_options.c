/* stacksample_options.c - the options of stacksample(1). */
#include "sampler/stacksample_options.h"

#include "base/mem.h"
#include "os/cgroup_folder.h"
#include "sampler/live_threads.h"

#include <err.h>
#include <inttypes.h>
#include <stdlib.h>

#define SECOND 1000000000

enum {
	OPT_BLOCKERS = CMD_LONG,
	OPT_CGROUP,
	OPT_CHILDREN,
	OPT_COMM,
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
	OPT_TASKS,
	OPT_THREAD_NAME,
	OPT_TID,
	OPT_TRACEABLE,
	OPT_TRUST_MAPS
};

static const struct cmd_option options[] = {
	{ "pid", 'p', "PID", "sample this process", false },
	{ "children", OPT_CHILDREN, NULL, "sample child processes, too",
	  false },
	{ "cgroup", OPT_CGROUP, "CGROUP",
	  "sample a cgroup, by path or container id", false },
	{ "comm", OPT_COMM, "NAME", "sample the processes of this name",
	  false },
	{ "frequency", 'F', "HZ", "sampling frequency (19)", false },
	{ "duration", 'd', "SECONDS", "stop after this time", false },
	{ "dump", OPT_DUMP, NULL, "print the stacks of all threads once",
	  false },
	{ "only-running", OPT_ONLY_RUNNING, NULL, "sample running threads only",
	  false },
	{ "only-blocked", OPT_ONLY_BLOCKED, NULL, "sample waiting threads only",
	  false },
	{ "thread-name", OPT_THREAD_NAME, "REGEX",
	  "sample threads whose name matches", false },
	{ "state", OPT_STATE, NULL,
	  "with --folded, add a leaf frame: the thread's state", false },
	{ "blockers", OPT_BLOCKERS, NULL,
	  "with --state, show who owns the locks", false },
	{ "tid", OPT_TID, NULL, "with --folded, add a root frame: name, ids",
	  false },
	{ "folded", OPT_FOLDED, NULL, "write folded text, a snapshot a second",
	  false },
	{ "native", OPT_NATIVE, NULL,
	  "show C functions instead of interpreted ones", false },
	{ "no-native", OPT_NO_NATIVE, NULL, "show interpreted functions only",
	  false },
	{ "srcline", OPT_SRCLINE, NULL,
	  "with --folded, add source lines where available", false },
	{ "request", OPT_REQUEST, NULL,
	  "add a root frame: the request that PHP serves", false },
	{ "tasks", OPT_TASKS, NULL,
	  "sample waiting tasks, goroutines, virtual threads", false },
	{ "no-stop", OPT_NO_STOP, NULL, "do not pause threads", false },
	{ "no-ask-jvm", OPT_NO_ASK_JVM, NULL,
	  "do not request code maps from JVMs", false },
	{ "trust-maps", OPT_TRUST_MAPS, NULL,
	  "use maps and jitdumps that other users own", false },
	{ "consistent", OPT_CONSISTENT, NULL,
	  "pause all threads of a process together", false },
	{ "max-stack", OPT_MAX_STACK, "KIB",
	  "copy at most KIB of each stack (256)", false },
	{ "max-cpu", OPT_MAX_CPU, "PERCENT",
	  "sample less often above this share of one CPU", false },
	{ "runtimes", OPT_RUNTIMES, NULL,
	  "list processes that run a supported interpreter", false },
	{ "traceable", OPT_TRACEABLE, NULL,
	  "run the command and allow the caller to trace it", false },
	{ NULL, 0, NULL, NULL, false }
};

static void
add_pid(struct stacksample_options *o, const char *arg)
{
	uint64_t pid;

	if (!str_u64(str_of(arg), &pid) || pid == 0 || pid > INT32_MAX)
		cmd_usage(&o->cmd, "-p takes the number of a process");
	if (!live_threads_exists((int64_t)pid))
		errx(CMD_ERROR, "there is no process %" PRIu64, pid);
	pids_add(&o->pids, (int64_t)pid);
}

static void
add_comm(struct stacksample_options *o, const char *name)
{
	struct process_watch_options *w = &o->watch_options;

	if (!pids_add_named(&o->pids, name))
		errx(CMD_ERROR, "there is no process %s", name);
	w->comm = mem_grow(w->comm, &w->comm_cap, w->ncomm + 1,
			   sizeof(*w->comm));
	w->comm[w->ncomm++] = name;
}

static void
add_cgroup(struct stacksample_options *o, const char *name)
{
	struct process_watch_options *w = &o->watch_options;
	struct buf why = { 0 };
	const int folder = cgroup_folder_open(name, &why);

	if (folder < 0)
		errx(CMD_ERROR, "%.*s", (int)why.len, why.p);
	w->cgroup = mem_grow(w->cgroup, &w->cgroup_cap, w->ncgroup + 1,
			     sizeof(*w->cgroup));
	w->cgroup[w->ncgroup++] = folder;
	buf_free(&why);
}

/*
 * A number, with or without its unit.  Its limits make sure that it fits into
 * 64 bits as ns.
 */
static double
positive(const struct stacksample_options *o, const char *what, char unit)
{
	const double least = 1e-6, most = 1e6;
	char *end;
	double n = strtod(o->cmd.value, &end);

	if (*end == unit && unit != '\0')
		end++;
	if (end == o->cmd.value || *end != '\0' || !(n >= least && n <= most))
		cmd_usage(&o->cmd, "%s takes a number from %f to %.0f, not %s",
			  what, least, most, o->cmd.value);
	return n;
}

static void
set_thread_name(struct stacksample_options *o)
{
	struct buf why = { 0 };
	size_t offset;

	o->thread_name = regex_new(str_of(o->cmd.value), false, &why, &offset);
	if (o->thread_name == NULL)
		cmd_usage(&o->cmd, "--thread-name %s: %.*s", o->cmd.value,
			  (int)why.len, why.p);
	buf_free(&why);
}

/* The boolean of an option that only sets one; NULL for others. */
static bool *
flag_of(struct stacksample_options *o, int value)
{
	switch (value) {
	case OPT_STATE:
		return &o->state;
	case OPT_BLOCKERS:
		return &o->blockers;
	case OPT_CHILDREN:
		return &o->watch_options.children;
	case OPT_TID:
		return &o->tid;
	case OPT_FOLDED:
		return &o->folded;
	case OPT_NATIVE:
		return &o->native;
	case OPT_NO_NATIVE:
		return &o->no_native;
	case OPT_REQUEST:
		return &o->sampler_options.with_requests;
	case OPT_SRCLINE:
		return &o->srcline;
	case OPT_TASKS:
		return &o->sampler_options.with_tasks;
	case OPT_NO_STOP:
		return &o->sampler_options.no_stop;
	case OPT_NO_ASK_JVM:
		return &o->no_ask_jvm;
	case OPT_RUNTIMES:
		return &o->runtimes;
	case OPT_TRACEABLE:
		return &o->traceable;
	case OPT_TRUST_MAPS:
		return &o->trust_maps;
	case OPT_CONSISTENT:
		return &o->sampler_options.consistent;
	default:
		return NULL;
	}
}

static void
set_option(struct stacksample_options *o, int value)
{
	struct sampler_options *s = &o->sampler_options;
	bool *flag = flag_of(o, value);

	if (flag != NULL) {
		*flag = true;
		return;
	}
	switch (value) {
	case 'p':
		add_pid(o, o->cmd.value);
		break;
	case 'F':
		o->hz = positive(o, "-F", '\0');
		break;
	case 'd':
		o->seconds = positive(o, "-d", '\0');
		break;
	case OPT_COMM:
		add_comm(o, o->cmd.value);
		break;
	case OPT_CGROUP:
		add_cgroup(o, o->cmd.value);
		break;
	case OPT_DUMP:
		if (o->dump == NULL)
			o->dump = thread_dump_new();
		break;
	case OPT_ONLY_RUNNING:
		s->which = SAMPLER_RUNNING;
		break;
	case OPT_ONLY_BLOCKED:
		s->which = SAMPLER_BLOCKED;
		break;
	case OPT_THREAD_NAME:
		set_thread_name(o);
		break;
	case OPT_MAX_CPU:
		o->max_cpu = positive(o, "--max-cpu", '%') / 100;
		break;
	case OPT_MAX_STACK:
		s->max_stack = (size_t)(positive(o, "--max-stack", '\0') *
					1024);
		break;
	default:
		break;
	}
}

/* Refuse options that exclude each other, and begin the command. */
static void
check_options(struct stacksample_options *o)
{
	if (o->traceable && (o->cmd.nfile == 0 || o->pids.n > 0))
		cmd_usage(&o->cmd, "--traceable is for a command alone");
	if (o->traceable) {
		pids_exec_traceable(o->cmd.file);
		err(127, "%s", *o->cmd.file);
	}
	if (o->runtimes && o->cmd.nfile > 0)
		cmd_usage(&o->cmd, "--runtimes is for running processes");
	if (o->cmd.nfile > 0 && !pids_start(&o->pids, o->cmd.file))
		err(CMD_ERROR, "fork");
	o->watch_options.children |= o->cmd.nfile > 0;
	if (o->pids.n == 0 && o->watch_options.ncgroup == 0)
		cmd_usage(&o->cmd, "which process?  -p, --comm, --cgroup, or "
				   "a command");
	if (o->sampler_options.consistent && o->sampler_options.no_stop)
		cmd_usage(&o->cmd, "--consistent and --no-stop exclude each "
				   "other");
	if (o->dump != NULL && (o->seconds > 0 || o->cmd.nfile > 0))
		cmd_usage(&o->cmd, "--dump looks once, at processes that run");
	if (o->native && o->sampler_options.with_tasks)
		cmd_usage(&o->cmd, "--tasks needs functions of an "
				   "interpreter, which --native omits");
	if (o->native && o->no_native)
		cmd_usage(&o->cmd, "--native and --no-native exclude each "
				   "other");
}

/* Set what follows from other options. */
static void
complete_options(struct stacksample_options *o)
{
	/* The next round comes after at least half an interval. */
	o->sampler_options.wait = (uint64_t)(SECOND / o->hz / 4);
	if (o->dump != NULL) {
		o->srcline = o->sampler_options.with_task_names = true;
		o->folded = o->state = o->blockers = true;
	}
}

void
stacksample_options_read(struct stacksample_options *o, int argc, char *argv[])
{
	int value;

	*o = (struct stacksample_options){
		.cmd = { .synopsis = "[options] [-- command "
				     "[argument ...]]",
			 .most_used = "pid children comm cgroup frequency "
				      "duration dump folded state blockers tid "
				      "only-running only-blocked thread-name "
				      "native srcline max-cpu",
			 .summary = "Sample the stacks of all threads of "
				    "running processes.",
			 .options = options },
		.hz = 19,
		.sampler_options.max_stack = 256 << 10
	};
	cmd_begin(&o->cmd, argc, argv);
	while ((value = cmd_next(&o->cmd)) != -1)
		set_option(o, value);
	check_options(o);
	complete_options(o);
}

void
stacksample_options_free(struct stacksample_options *o)
{
	regex_free(o->thread_name);
	thread_dump_free(o->dump);
	free(o->watch_options.comm);
	free(o->watch_options.cgroup);
	pids_free(&o->pids);
}
