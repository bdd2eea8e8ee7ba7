/*
 * faults - run a command again and again, each time with another of the things
 * it asks of the system failing: an allocation, a read, a write, an open, a
 * close, a new process; then with all reads and writes interrupted, or short.
 *
 *	faults [FILE] COMMAND [ARGUMENT...]
 *
 * FILE, which has a slash in it, is the command's standard input.  The library
 * that makes things fail is $FAULT_SO.  Of many calls of a kind $FAULTS
 * fail, each in a run of its own, 0 for all of them.
 *
 * A fault must either not show at all, or be reported on standard error: then
 * the status is 2, unless the command can do without what failed.  Short
 * calls and interrupted reads must not show at all; stdio does not repeat a
 * write, which only a signal handler could interrupt.  Nothing may be left in
 * $TMPDIR.
 */
#include "fault.h"

#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS = 20, SKIPPED = 77 };

/* What a run came to. */
struct end {
	int status; /* as of waitpid(2) */
	char *out, *said;
	size_t out_size, said_size;
};

static const struct {
	const char *name;
	int error;
} kinds[FAULT_KINDS] = {
	[FAULT_ALLOC] = { "allocation", ENOMEM },
	[FAULT_READ] = { "read", EIO },
	[FAULT_WRITE] = { "write", ENOSPC },
	[FAULT_OPEN] = { "open", EMFILE },
	[FAULT_CLOSE] = { "close", EIO },
	[FAULT_FORK] = { "fork", EAGAIN },
};

static struct fault *fault;
static int fault_fd;
static const char *input; /* NULL for none */
static char **command;
static char *folder;     /* the command's TMPDIR */
static struct end clean; /* without a fault */
static int failures;

static void
become(int out, int said)
{
	static const struct rlimit no_core;
	char fd[16];
	int in = open(input != NULL ? input : "/dev/null", O_RDONLY);

	snprintf(fd, sizeof(fd), "%d", fault_fd);
	setenv(FAULT_FD, fd, 1);
	setenv("LD_PRELOAD", getenv("FAULT_SO"), 1);
	setenv("TMPDIR", folder, 1);
	setrlimit(RLIMIT_CORE, &no_core);
	dup2(in, 0);
	dup2(out, 1);
	dup2(said, 2);
	close(in);
	alarm(SECONDS); /* survives the exec, and kills */
	execvp(command[0], command);
	_exit(127);
}

/* All of a file, NUL behind it. */
static char *
load(int fd, size_t *size)
{
	char *p;

	*size = (size_t)lseek(fd, 0, SEEK_END);
	p = calloc(1, *size + 1);
	if (p == NULL || pread(fd, p, *size, 0) != (ssize_t)*size)
		err(2, "cannot read what the command wrote");
	close(fd);
	return p;
}

static struct end
run_once(void)
{
	struct end end;
	int out = memfd_create("out", MFD_CLOEXEC);
	int said = memfd_create("said", MFD_CLOEXEC);
	pid_t pid = fork();

	if (out < 0 || said < 0 || pid < 0)
		err(2, "fork");
	if (pid == 0)
		become(out, said);
	if (waitpid(pid, &end.status, 0) < 0)
		err(2, "wait");
	end.out = load(out, &end.out_size);
	end.said = load(said, &end.said_size);
	return end;
}

static void
release(struct end *end)
{
	free(end->out);
	free(end->said);
}

/* Where the C library lies may make it impossible, which is rare. */
static struct end
run(void)
{
	struct end end;
	int tries = 5;

	while (end = run_once(),
	       WEXITSTATUS(end.status) == FAULT_IMPOSSIBLE && --tries > 0)
		release(&end);
	return end;
}

static int
is_no_dot(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

static bool
left_files(void)
{
	struct dirent **list;
	int i, n = scandir(folder, &list, is_no_dot, NULL);

	if (n < 0)
		err(2, "TMPDIR");
	for (i = 0; i < n; i++)
		free(list[i]);
	free(list);
	return n > 0;
}

static bool
same(const char *a, size_t n, const char *b, size_t m)
{
	return n == m && memcmp(a, b, n) == 0;
}

/* Whether there is a line of the command's own that was not there before. */
static bool
has_message(const struct end *end)
{
	const char *name = strrchr(command[0], '/');
	char *line;
	bool found;

	name = name != NULL ? name + 1 : command[0];
	if (asprintf(&line, "%s: ", name) < 0)
		err(2, NULL);
	found = strstr(end->said, line) != NULL &&
		!same(end->said, end->said_size, clean.said, clean.said_size);
	free(line);
	return found;
}

/* What is wrong with the end of a run, or NULL. */
static const char *
find_fault(const struct end *end)
{
	if (WIFSIGNALED(end->status))
		return WTERMSIG(end->status) == SIGALRM ?
			   "not done after a while" :
			   "killed by a signal";
	if (left_files())
		return "a temporary file is left";
	if (end->status == clean.status &&
	    same(end->out, end->out_size, clean.out, clean.out_size))
		return NULL;
	if (fault->how == FAULT_SHORT ||
	    (fault->how == FAULT_EINTR && fault->kind == FAULT_READ))
		return "a call that did less than it might was not repeated";
	if (!has_message(end))
		return "no message";
	if (WEXITSTATUS(end->status) == 2)
		return NULL;
	if (WEXITSTATUS(end->status) > 2)
		return "another status than 0, 1 and 2";
	return fault->kind == FAULT_OPEN || fault->kind == FAULT_READ ?
		   NULL :
		   "another output, but not status 2";
}

static void
complain(const struct end *end, const char *what, const char *why)
{
	char **word;

	failures++;
	for (word = command; *word != NULL; word++)
		printf("%s%s", word == command ? "" : " ", *word);
	printf(", %s: %s; wait status %#x, %zu bytes of %zu, said:\n%s\n", what,
	       why, end->status, end->out_size, clean.out_size, end->said);
}

static void
try(const char *what)
{
	struct end end = run();
	const char *why = find_fault(&end);

	if (why != NULL)
		complain(&end, what, why);
	else if (getenv("FAULTS_VERBOSE") != NULL)
		printf("%s, %s: %d: %s\n", command[0], what,
		       WEXITSTATUS(end.status), end.said);
	release(&end);
}

/* The ith of some of n calls: the first half of them in a row. */
static uint32_t
choose(uint32_t i, uint32_t some, uint32_t n)
{
	uint32_t half = some / 2;

	if (n <= some || i < half || some == 1)
		return i + 1;
	return half + 1 +
	       (uint32_t)((uint64_t)(i - half) * (n - half - 1) /
			  (some - half - 1));
}

static void
fail_some(enum fault_kind kind, uint32_t calls)
{
	const char *value = getenv("FAULTS");
	uint32_t i, some = value != NULL ? (uint32_t)atoi(value) : 12;
	char what[64];

	if (some == 0 || some > calls)
		some = calls;
	for (i = 0; i < some; i++) {
		*fault = (struct fault){ .kind = kind,
					 .how = FAULT_ERROR,
					 .n = choose(i, some, calls),
					 .error = kinds[kind].error };
		snprintf(what, sizeof(what), "%s %u of %u fails",
			 kinds[kind].name, fault->n, calls);
		try(what);
	}
}

static void
try_all(void)
{
	uint32_t calls[FAULT_KINDS];
	int kind;

	memcpy(calls, fault->calls, sizeof(calls));
	for (kind = 0; kind < FAULT_KINDS; kind++)
		fail_some((enum fault_kind)kind, calls[kind]);
	*fault = (struct fault){ .kind = FAULT_READ, .how = FAULT_SHORT };
	try("short reads");
	*fault = (struct fault){ .kind = FAULT_WRITE, .how = FAULT_SHORT };
	try("short writes");
	*fault = (struct fault){ .kind = FAULT_READ, .how = FAULT_EINTR };
	try("interrupted reads");
	*fault = (struct fault){ .kind = FAULT_WRITE, .how = FAULT_EINTR };
	try("interrupted writes");
}

static void
begin_folder(void)
{
	const char *above = getenv("TMPDIR");

	if (asprintf(&folder, "%s/faults.XXXXXX",
		     above != NULL ? above : "/tmp") < 0 ||
	    mkdtemp(folder) == NULL)
		err(2, "a temporary folder");
}

int
main(int argc, char *argv[])
{
	if (argc > 1 && strchr(argv[1], '/') != NULL) {
		input = argv[1];
		argv++, argc--;
	}
	if (argc < 2 || getenv("FAULT_SO") == NULL)
		errx(2, "usage: FAULT_SO=... faults [FILE] COMMAND "
			"[ARGUMENT...]");
	command = argv + 1;
	fault_fd = memfd_create("fault", 0);
	if (fault_fd < 0 || ftruncate(fault_fd, sizeof(*fault)) != 0)
		err(2, "memfd");
	fault = mmap(NULL, sizeof(*fault), PROT_READ | PROT_WRITE, MAP_SHARED,
		     fault_fd, 0);
	if (fault == MAP_FAILED)
		err(2, "mmap");
	begin_folder();
	clean = run();
	if (WEXITSTATUS(clean.status) == FAULT_IMPOSSIBLE)
		return SKIPPED;
	if (fault->calls[FAULT_ALLOC] == 0)
		return SKIPPED; /* a sanitizer allocates */
	if (clean.status != 0)
		errx(2, "%s fails by itself: %s", command[0], clean.said);
	try_all();
	release(&clean);
	if (rmdir(folder) != 0)
		err(2, "%s", folder);
	free(folder);
	return failures > 0;
}
