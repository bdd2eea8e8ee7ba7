/*
 * hostile - run a command on spoilt copies of a file: cut short at 100
 * places and with bytes changed 50 times over, the same ones each time, or as
 * often as $CUTS and $CHANGES say.  Whatever the input, a command exits with 0,
 * 1 or 2, and within ten seconds.
 *
 *	hostile FILE COMMAND [ARGUMENT...]
 *
 * Says which copy was fatal, and leaves it in $TMPDIR, or in /tmp.
 */
#include <err.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS = 10, MAX_SIZE = 1024 * 1024 };

static int failures;

/* xorshift64: the same numbers on every machine. */
static uint64_t
random_next(void)
{
	static uint64_t x = 88172645463325252;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return x;
}

static size_t
random_below(size_t n)
{
	return (size_t)(random_next() % n);
}

/* The file's bytes, of a large one the first. */
static char *
load(const char *path, size_t *size)
{
	char *p = malloc(MAX_SIZE);
	int fd = open(path, O_RDONLY);
	ssize_t n;

	if (p == NULL || fd < 0)
		err(2, "%s", path);
	for (*size = 0; *size < MAX_SIZE; *size += (size_t)n) {
		n = read(fd, p + *size, MAX_SIZE - *size);
		if (n < 0)
			err(2, "%s", path);
		if (n == 0)
			break;
	}
	close(fd);
	return p;
}

/* A file in memory, at its beginning. */
static int
memory_file(const char *p, size_t size)
{
	int fd = memfd_create("hostile", MFD_CLOEXEC);

	if (fd < 0 || write(fd, p, size) != (ssize_t)size)
		err(2, "memfd");
	lseek(fd, 0, SEEK_SET);
	return fd;
}

static void
become(int in, char *argv[])
{
	static const struct rlimit no_core;
	int null = open("/dev/null", O_WRONLY);

	setrlimit(RLIMIT_CORE, &no_core);
	dup2(in, 0);
	dup2(null, 1);
	if (getenv("HOSTILE_VERBOSE") == NULL)
		dup2(null, 2);
	alarm(SECONDS); /* survives the exec, and kills */
	execvp(argv[0], argv);
	_exit(127);
}

static void
keep(const char *p, size_t size)
{
	const char *dir = getenv("TMPDIR");
	char *path;
	int fd;

	if (asprintf(&path, "%s/XXXXXX", dir != NULL ? dir : "/tmp") < 0)
		err(2, NULL);
	fd = mkstemp(path);
	if (fd < 0 || write(fd, p, size) != (ssize_t)size || close(fd) != 0)
		err(2, "%s", path);
	printf("  input kept in %s\n", path);
	free(path);
}

static void
try(const char *p, size_t size, char *argv[], const char *how)
{
	int in = memory_file(p, size), status;
	pid_t pid = fork();

	if (pid < 0)
		err(2, "fork");
	if (pid == 0)
		become(in, argv);
	close(in);
	if (waitpid(pid, &status, 0) < 0)
		err(2, "wait");
	if (WIFEXITED(status) && WEXITSTATUS(status) <= 2)
		return;
	failures++;
	printf("%s, %s: ", argv[0], how);
	if (WIFEXITED(status))
		printf("exit status %d\n", WEXITSTATUS(status));
	else if (WTERMSIG(status) == SIGALRM)
		printf("not done after %d seconds\n", SECONDS);
	else
		printf("killed by signal %d\n", WTERMSIG(status));
	keep(p, size);
}

/* A number from the environment, or else n. */
static size_t
times(const char *name, size_t n)
{
	const char *value = getenv(name);

	return value == NULL ? n : strtoul(value, NULL, 10);
}

static void
try_cuts(const char *p, size_t size, char *argv[])
{
	size_t i, end, last = (size_t)-1, n = times("CUTS", 100);
	char how[64];

	for (i = 0; i <= n; i++) {
		end = size * i / n;
		if (end == last)
			continue;
		snprintf(how, sizeof(how), "cut at %zu of %zu", end, size);
		try(p, end, argv, how);
		last = end;
	}
}

/* What a parser trips over is likelier to do harm than any byte. */
static char
odd_byte(void)
{
	static const char odd[] =
	    "\0\n\r\t ;:#()[]<>{}\"'\\/-+.09afx\x7f\x80\xff";

	return odd[random_below(sizeof(odd) - 1)];
}

static void
try_changes(const char *p, size_t size, char *argv[])
{
	char *copy = malloc(size), how[64];
	size_t i, k, n, changes = times("CHANGES", 50);

	if (copy == NULL)
		err(2, NULL);
	for (i = 0; i < changes && size > 0; i++) {
		memcpy(copy, p, size);
		n = 1 + size / 1000 * (i % 5);
		for (k = 0; k < n; k++)
			copy[random_below(size)] = odd_byte();
		snprintf(how, sizeof(how), "change %zu, of %zu bytes", i, n);
		try(copy, size, argv, how);
	}
	free(copy);
}

int
main(int argc, char *argv[])
{
	size_t size;
	char *p;

	if (argc < 3)
		errx(2, "usage: hostile FILE COMMAND [ARGUMENT...]");
	p = load(argv[1], &size);
	try_cuts(p, size, argv + 2);
	try_changes(p, size, argv + 2);
	free(p);
	return failures > 0;
}
