/* probe_guard.c - make probes of programs, and remove them in the end. */
#include "record/probe_guard.h"

#include "perfdata/perfabi.h"
#include "record/tracepoints.h"
#include "record/uprobe.h"
#include "sampler/procfile.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define GROUP "stackrecord_"

/* Tracefs takes a definition in one write; false with errno set. */
static bool
write_definition(const char *file, const struct buf *text)
{
	const int fd = open(file, O_WRONLY | O_APPEND | O_CLOEXEC);
	int error = errno;
	bool ok;

	if (fd < 0)
		return false;
	ok = write(fd, text->p, text->len) == (ssize_t)text->len;
	error = errno;
	close(fd);
	errno = error;
	return ok;
}

/* The next name of a probe of ours in uprobe_events: "stackrecord_1/p0". */
static bool
next_probe(struct str *rest, struct str *probe, uint64_t *owner)
{
	struct str line, number;

	while (rest->len > 0) {
		line = str_cut(rest, '\n');
		str_cut(&line, ':');
		*probe = str_cut(&line, ' ');
		if (!str_starts(*probe, STR(GROUP)))
			continue;
		number = str_skip(*probe, strlen(GROUP));
		number = str_cut(&number, '/');
		if (str_u64(number, owner))
			return true;
	}
	return false;
}

static bool
is_gone(uint64_t pid)
{
	return pid > INT32_MAX || (kill((pid_t)pid, 0) != 0 && errno == ESRCH);
}

/*
 * Remove the probes of one owner, or with 0 of all that are gone.  False if
 * some are in use: until the last event of theirs is closed.
 */
static bool
remove_probes(const char *file, uint64_t of)
{
	struct buf text = { 0 }, line = { 0 };
	struct str rest, probe;
	uint64_t owner;
	bool ok = true;

	if (procfile_read(&text, file))
		rest = buf_slice(&text);
	else
		rest = (struct str){ 0 };
	while (next_probe(&rest, &probe, &owner)) {
		if (of != 0 ? owner != of : !is_gone(owner))
			continue;
		line.len = 0;
		buf_printf(&line, "-:%.*s\n", (int)probe.len, probe.p);
		/* It may have been a second place of the same probe. */
		if (!write_definition(file, &line) && errno != ENOENT)
			ok = false;
	}
	buf_free(&line);
	buf_free(&text);
	return ok;
}

/* The process that outlives this one. */
static void
guard(const char *file, uint64_t owner, int pipe)
{
	const struct timespec pause = { 0, 20000000 };
	const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	char byte;
	int i;

	setsid();
	for (i = 0; i <= 2; i++)
		dup2(null, i);
	while (read(pipe, &byte, 1) < 0 && errno == EINTR)
		continue;
	for (i = 0; i < 500 && !remove_probes(file, owner); i++)
		nanosleep(&pause, NULL);
	_exit(0);
}

static bool
begin_guard(struct probe_guard *g, const char *file)
{
	const uint64_t owner = (uint64_t)getpid();
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return false;
	pid = fork();
	if (pid == 0) {
		close(ends[1]);
		guard(file, owner, ends[0]);
	}
	close(ends[0]);
	if (pid < 0) {
		close(ends[1]);
		return false;
	}
	*g = (struct probe_guard){ pid, ends[1] };
	return true;
}

void
probe_guard_end(struct probe_guard *g)
{
	if (g->pid == 0)
		return;
	close(g->pipe);
	while (waitpid((pid_t)g->pid, NULL, 0) < 0 && errno == EINTR)
		continue;
	g->pid = 0;
}

/* Blanks end a path in a definition, and '#' begins a comment. */
static bool
is_plain(struct str path)
{
	size_t i;

	for (i = 0; i < path.len; i++) {
		if (!isgraph((unsigned char)path.p[i]) || path.p[i] == '#')
			return false;
	}
	return str_starts(path, STR("/"));
}

/* One probe may have several places; Linux 5.5. */
static bool
define(const char *file, const struct uprobe *u, const char *path,
       struct buf *why)
{
	struct str name = u->tracepoint, group = str_cut(&name, ':');
	struct buf line = { 0 };
	struct str args;
	bool ok = true;
	size_t i;

	for (i = 0; ok && i < u->places.n; i++) {
		args = u->places.place[i].args;
		if (args.len == 0)
			args = u->args;
		line.len = 0;
		buf_printf(&line, "%c:%.*s/%.*s %s:0x%" PRIx64 "%s%.*s\n",
			   u->of_return ? 'r' : 'p', (int)group.len, group.p,
			   (int)name.len, name.p, path,
			   u->places.place[i].offset, args.len > 0 ? " " : "",
			   (int)args.len, args.p);
		ok = write_definition(file, &line);
	}
	if (!ok)
		buf_printf(
		    why, "%s: the kernel cannot probe +0x%" PRIx64 ": %s",
		    u->path.p, u->places.place[i - 1].offset, strerror(errno));
	buf_free(&line);
	return ok;
}

static bool
place(const char *file, struct event_request *e, struct buf *why)
{
	struct uprobe *u = e->uprobe;
	struct str rest = u->tracepoint, system = str_cut(&rest, ':');
	struct buf path = { 0 };
	int fd = -1;
	bool ok;

	if (is_plain(u->path)) {
		buf_str(&path, u->path);
	} else {
		fd = open(u->path.p, O_RDONLY | O_CLOEXEC | O_NOCTTY);
		buf_printf(&path, "/proc/self/fd/%d", fd);
	}
	buf_char(&path, '\0');
	ok = define(file, u, path.p, why) &&
	     tracepoints_find(system, rest, &e->config, why);
	e->type = PERF_TYPE_TRACEPOINT;
	if (fd >= 0)
		close(fd);
	buf_free(&path);
	return ok;
}

static void
explain(struct buf *why, const char *file, int error)
{
	buf_printf(why,
		   "no permission to create probes: %s: %s; probes need root, "
		   "tracefs (mount -t tracefs tracefs /sys/kernel/tracing) and "
		   "CONFIG_UPROBE_EVENTS; in a container, record from outside",
		   file, strerror(error));
}

static bool
has_probes(const struct event_requests *events)
{
	size_t i;

	for (i = 0; i < events->n; i++) {
		if (events->event[i].uprobe != NULL)
			return true;
	}
	return false;
}

/* Names are of this process, so that those of a killed one are known. */
static void
name_probes(struct event_requests *events)
{
	struct buf name = { 0 };
	size_t i;

	for (i = 0; i < events->n; i++) {
		if (events->event[i].uprobe == NULL)
			continue;
		name.len = 0;
		buf_printf(&name, GROUP "%d:p%zu", (int)getpid(), i);
		events->event[i].uprobe->tracepoint = arena_str(
		    &events->arena, buf_slice(&name));
	}
	buf_free(&name);
}

bool
probe_guard_begin(struct probe_guard *g, struct event_requests *events,
		  struct buf *why)
{
	struct buf file = { 0 };
	bool ok = true;
	size_t i;

	if (!has_probes(events))
		return true;
	if (!tracepoints_path(&file, "uprobe_events") ||
	    access(file.p, W_OK) != 0 || !begin_guard(g, file.p)) {
		explain(why, file.p, errno);
		ok = false;
	} else {
		remove_probes(file.p, 0);
		name_probes(events);
	}
	for (i = 0; ok && i < events->n; i++) {
		if (events->event[i].uprobe != NULL)
			ok = place(file.p, &events->event[i], why);
	}
	buf_free(&file);
	return ok;
}
