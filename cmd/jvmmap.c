/* jvmmap - write what a running JVM knows of its code. */
#include "base/utf8.h"
#include "cli/cmd.h"
#include "interp/hotspot_survey.h"
#include "jit/jvm.h"
#include "os/capabilities.h"
#include "os/clock.h"
#include "os/container.h"

#include <err.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { OPT_AGENT = CMD_LONG, OPT_EVERY, OPT_JITDUMP, OPT_SNAPSHOT, OPT_STOP };

static const struct cmd_option options[] = {
	{ "snapshot", OPT_SNAPSHOT, NULL,
	  "write a foldjvm(5) file for stackcollapse-perf", false },
	{ "every", OPT_EVERY, "SECONDS",
	  "update the snapshot at this interval until the end", false },
	{ "jitdump", OPT_JITDUMP, "DIR",
	  "have the JVM log its code in DIR/jit-PID.dump", false },
	{ "stop", OPT_STOP, NULL, "stop the log that --jitdump started",
	  false },
	{ "agent", OPT_AGENT, "FILE", "load FILE in place of libfoldjvm.so",
	  false },
	{ NULL, 0, NULL, NULL, false }
};

struct request {
	int64_t pid;
	bool snapshot;
	double every;        /* seconds; 0: once */
	const char *jitdump; /* a folder, or NULL */
	bool stop;
	const char *agent;
};

/* So that a signal ends a wait. */
static void
end(int number)
{
	(void)number;
}

static double
parse_seconds(struct cmd *cmd)
{
	char *rest;
	const double n = strtod(cmd->value, &rest);

	if (*cmd->value == '\0' || *rest != '\0' || !(n >= 0.01 && n <= 3600))
		cmd_usage(cmd, "--every takes seconds, 0.01 to 3600: %s",
			  cmd->value);
	return n;
}

static void
parse(struct cmd *cmd, struct request *r)
{
	uint64_t pid;
	int value;

	while ((value = cmd_next(cmd)) != -1) {
		if (value == OPT_SNAPSHOT)
			r->snapshot = true;
		else if (value == OPT_EVERY)
			r->every = parse_seconds(cmd);
		else if (value == OPT_JITDUMP)
			r->jitdump = cmd->value;
		else if (value == OPT_STOP)
			r->stop = true;
		else
			r->agent = cmd->value;
	}
	if (r->snapshot + r->stop + (r->jitdump != NULL) > 1)
		cmd_usage(cmd, "use one of --snapshot, --jitdump and --stop");
	if (r->every > 0 && !r->snapshot)
		cmd_usage(cmd, "--every needs --snapshot");
	if (cmd->nfile != 1)
		cmd_usage(cmd, "name one process");
	if (!str_u64(str_of(cmd->file[0]), &pid) || pid == 0 || pid > INT32_MAX)
		cmd_usage(cmd, "not a process id: %s", cmd->file[0]);
	r->pid = (int64_t)pid;
}

/* Cut a number off the line: hexadecimal, and with 0x from the JDK. */
static bool
cut_number(struct str *line)
{
	struct str word;
	uint64_t number;

	*line = str_trim(*line);
	word = str_cut(line, ' ');
	if (str_starts(word, STR("0x")))
		word = str_skip(word, 2);
	return str_hex(word, &number);
}

/*
 * Write lines "start size name", without control characters; count others.  The
 * text is the JVM's, and may be meant for a terminal.
 */
static void
write_lines(struct str map, struct tally *tally)
{
	struct buf clean = { 0 };
	struct str line, name;

	while (map.len > 0) {
		line = name = str_cut(&map, '\n');
		if (!cut_number(&name) || !cut_number(&name)) {
			tally->bad++;
			continue;
		}
		clean.len = 0;
		utf8_escape(&clean, line);
		buf_char(&clean, '\n');
		buf_write(&clean, stdout);
		tally->good++;
	}
	buf_free(&clean);
}

/* A child makes the request; the rights are given up before its answer. */
static void
write_map(struct cmd *cmd, const struct request *r)
{
	struct buf map = { 0 }, why = { 0 };
	struct jvm_request *request = jvm_map_start(r->pid, &why);

	if (!cmd->confined && !capabilities_drop_all())
		err(CMD_ERROR, "dropping capabilities");
	cmd_confine(cmd, cmd->nfile);
	if (request == NULL || !jvm_map_finish(request, &map, &why))
		errx(CMD_ERROR, "process %" PRIu64 ": %.*s", r->pid,
		     (int)why.len, why.p);
	write_lines(buf_slice(&map), &cmd->tally);
	buf_free(&map);
	buf_free(&why);
}

/*
 * Wait for this number of seconds.  False if the process ends before, or if a
 * signal arrives.
 */
static bool
await(double seconds, int process, const sigset_t *unblocked)
{
	struct pollfd p = { .fd = process, .events = POLLIN };
	struct timespec interval = { .tv_sec = (time_t)seconds };

	interval.tv_nsec = (long)((seconds - (double)interval.tv_sec) * 1e9);
	return ppoll(&p, 1, &interval, unblocked) == 0;
}

static void
catch_signals(sigset_t *unblocked)
{
	const struct sigaction action = { .sa_handler = end };
	sigset_t blocked;

	sigemptyset(&blocked);
	sigaddset(&blocked, SIGINT);
	sigaddset(&blocked, SIGTERM);
	sigprocmask(SIG_BLOCK, &blocked, unblocked);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

/*
 * Take moments until the process ends or a signal comes; then a last one.  They
 * take at most a twentieth of a CPU.
 */
static void
take_more(const struct request *r, struct hotspot_survey *s, int process)
{
	const double share = 20;
	struct buf out = { 0 }, why = { 0 };
	sigset_t unblocked;
	double cost = 0;
	bool more = true;

	catch_signals(&unblocked);
	while (more) {
		more = await(cost * share > r->every ? cost * share : r->every,
			     process, &unblocked);
		cost = clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
		if (!hotspot_survey_take(s, !more, &out, &why))
			break;
		cost = clock_seconds(CLOCK_PROCESS_CPUTIME_ID) - cost;
		buf_write(&out, stdout);
		if (fflush(stdout) != 0)
			break;
	}
	buf_free(&out);
	buf_free(&why);
}

/* The rights that are left are those to read the memory of processes. */
static void
write_snapshot(struct cmd *cmd, const struct request *r)
{
	static const struct sandbox may = { .reads_all = true,
					    .samples = true };
	struct buf out = { 0 }, why = { 0 };
	const int process = (int)syscall(SYS_pidfd_open, r->pid, 0);
	struct hotspot_survey *s;

	if (!cmd->confined)
		capabilities_keep_ptrace(false);
	cmd->may = &may;
	cmd_confine(cmd, cmd->nfile);
	s = hotspot_survey_new(r->pid, &why);
	if (s != NULL)
		hotspot_survey_head(s, &out);
	if (s == NULL || !hotspot_survey_take(s, true, &out, &why))
		errx(CMD_ERROR, "process %" PRId64 ": %.*s", r->pid,
		     (int)why.len, why.p);
	buf_write(&out, stdout);
	if (r->every > 0 && process >= 0 && fflush(stdout) == 0)
		take_more(r, s, process);
	if (process >= 0)
		close(process);
	hotspot_survey_free(s);
	buf_free(&out);
	buf_free(&why);
}

/* The absolute path of a file; a failure ends the program. */
static char *
absolute(const char *path)
{
	char *real = realpath(path, NULL);

	if (real == NULL)
		err(CMD_ERROR, "%s", path);
	return real;
}

/* Wait until the agent is loaded, without rights. */
static void
finish_load(struct cmd *cmd, const struct request *r,
	    struct jvm_request *request, struct buf *why)
{
	struct buf text = { 0 };

	if (!cmd->confined && !capabilities_drop_all())
		err(CMD_ERROR, "dropping capabilities");
	cmd_confine(cmd, cmd->nfile);
	if (request == NULL || !jvm_load_finish(request, why)) {
		utf8_escape(&text, buf_slice(why));
		errx(CMD_ERROR, "process %" PRId64 ": %.*s", r->pid,
		     (int)text.len, text.p);
	}
}

/* Begin or end a jitdump; print the name of one that begins. */
static void
load_agent(struct cmd *cmd, const struct request *r)
{
	char *library = absolute(r->agent == NULL ? PKGLIBDIR "/libfoldjvm.so" :
						    r->agent);
	char *folder = r->stop ? NULL : absolute(r->jitdump);
	struct buf text = { 0 }, why = { 0 }, name = { 0 };
	struct jvm_request *request;

	buf_printf(&text, "%s%s",
		   r->stop ? "stop" : "dir=", r->stop ? "" : folder);
	buf_char(&text, '\0');
	if (!r->stop) {
		buf_printf(&name, "%s/jit-%" PRId64 ".dump", folder,
			   container_pid(r->pid));
		buf_char(&name, '\n');
	}
	request = jvm_load_start(r->pid, library, text.p, &why);
	finish_load(cmd, r, request, &why);
	buf_write(&name, stdout);
	buf_free(&text);
	buf_free(&why);
	buf_free(&name);
	free(library);
	free(folder);
}

int
main(int argc, char *argv[])
{
	struct cmd cmd = { .synopsis = "[options] PID",
			   .summary = "Write the code map of a running JVM.",
			   .options = options };
	struct request r = { 0 };

	cmd_begin(&cmd, argc, argv);
	parse(&cmd, &r);
	if (r.snapshot)
		write_snapshot(&cmd, &r);
	else if (r.stop || r.jitdump != NULL)
		load_agent(&cmd, &r);
	else
		write_map(&cmd, &r);
	return cmd_done(&cmd);
}
