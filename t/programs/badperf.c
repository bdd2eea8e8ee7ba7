/*
 * badperf - recordings that perf would never make, or not the one we have.
 *
 *	badperf KIND			write one to standard output
 *	badperf words FILE COMMAND...	run a command on copies of a file, each
 *					with one number of it made absurd
 *
 * Whatever the copy, the command exits with 0, 1 or 2, within ten seconds and
 * in half a gigabyte.
 */
#include <err.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS = 10, MAX_KILOBYTES = 512 * 1024, MAX_SIZE = 1 << 20 };

/* sample_type: IP, TID, TIME, CALLCHAIN */
enum { SAMPLE_TYPE = 1 | 2 | 4 | 32, SAMPLE_ID_ALL = 1 << 18 };

static uint64_t now = 1;

static void
put(const void *p, size_t n)
{
	if (fwrite(p, 1, n, stdout) != n)
		err(2, NULL);
}

static void
u64(uint64_t n)
{
	put(&n, sizeof(n));
}

static void
u32(uint32_t a, uint32_t b)
{
	put(&a, sizeof(a));
	put(&b, sizeof(b));
}

static void
header(uint32_t type, uint16_t misc, uint16_t size)
{
	put(&type, sizeof(type));
	put(&misc, sizeof(misc));
	put(&size, sizeof(size));
}

/* What follows the kernel's records: TID and TIME. */
static void
trailer(uint32_t pid)
{
	u32(pid, pid);
	u64(now++);
}

/* The header of a pipe, and one event: cpu-clock. */
static void
begin(void)
{
	uint64_t attr[16] = { 0 };

	put("PERFILE2", 8);
	u64(16);
	header(64, 0, 8 + sizeof(attr));
	attr[0] = 1 | (uint64_t)sizeof(attr) << 32;
	attr[3] = SAMPLE_TYPE;
	attr[5] = SAMPLE_ID_ALL;
	put(attr, sizeof(attr));
}

static void
mapping(uint32_t pid, uint64_t start, uint64_t len)
{
	char name[16] = "/bin/x";

	header(1, 2, 8 + 32 + sizeof(name) + 16);
	u32(pid, pid);
	u64(start);
	u64(len);
	u64(0);
	put(name, sizeof(name));
	trailer(pid);
}

static void
forking(uint32_t pid, uint32_t parent)
{
	header(7, 0, 8 + 24 + 16);
	u32(pid, parent);
	u32(pid, parent);
	u64(now);
	trailer(pid);
}

static void
sample(uint32_t pid, uint64_t frames, uint64_t first)
{
	header(9, 2, 8 + 8 + 16 + 8 + 16);
	u64(first);
	u32(pid, pid);
	u64(now++);
	u64(frames);
	u64((uint64_t)-512);
	u64(first);
}

/* Each process forks one; all map something, and all are sampled. */
static void
forks(uint32_t n)
{
	uint32_t i;

	mapping(1, 0x1000, 0x100000);
	for (i = 2; i < n; i++) {
		forking(i, i - 1);
		mapping(i, 0x1000 + 16 * (uint64_t)i, 16);
		sample(i, 2, 0x1000 + 8 * (uint64_t)i);
	}
	for (i = 2; i < n; i++)
		forking(i % 7, i % 5);
}

/* Mappings that lie in each other, and a round behind each record. */
static void
mappings(uint64_t n)
{
	uint64_t i;

	for (i = 0; i < n; i++) {
		mapping(1, i, (uint64_t)1 << 40);
		mapping(1, UINT64_MAX - i, i);
		header(68, 0, 8);
		sample(1, 2, (uint64_t)1 << 39);
	}
}

/* Records that all wait, while rounds go by. */
static void
rounds(uint64_t n)
{
	uint64_t i;

	now = (uint64_t)1 << 60;
	sample(1, 2, 1);
	for (i = 0; i < n; i++) {
		now = ((uint64_t)1 << 62) - i;
		sample(1, 2, i);
		header(68, 0, 8);
	}
}

/* A chain whose callers in user mode come in a record of their own. */
static void
deferred_sample(uint32_t pid, uint64_t cookie)
{
	header(9, 1, 8 + 8 + 16 + 8 + 32);
	u64(UINT64_MAX << 31);
	u32(pid, pid);
	u64(now++);
	u64(4);
	u64((uint64_t)-128);
	u64(UINT64_MAX << 31);
	u64((uint64_t)-640);
	u64(cookie);
}

static void
deferred_callers(uint32_t pid, uint64_t cookie)
{
	header(22, 2, 8 + 16 + 24 + 16);
	u64(cookie);
	u64(3);
	u64((uint64_t)-512);
	u64(0x1100);
	u64(0x1200);
	trailer(pid);
}

/* Two samples wait for the same callers, one for none that come. */
static void
deferred(void)
{
	mapping(1, 0x1000, 0x1000);
	deferred_sample(1, 5);
	deferred_sample(2, 6);
	sample(1, 2, 0x1800);
	deferred_sample(1, 5);
	deferred_callers(1, 7);
	deferred_callers(1, 5);
	deferred_callers(1, 5);
}

static void
write_kind(const char *kind)
{
	uint64_t i;

	begin();
	if (strcmp(kind, "forks") == 0) {
		forks(50000);
	} else if (strcmp(kind, "mappings") == 0) {
		mappings(50000);
	} else if (strcmp(kind, "rounds") == 0) {
		rounds(100000);
	} else if (strcmp(kind, "chain") == 0) {
		for (i = 0; i < 64; i++)
			sample(1, (uint64_t)1 << i, i);
	} else if (strcmp(kind, "deferred") == 0) {
		deferred();
	} else if (strcmp(kind, "skip") == 0) {
		sample(1, 2, 4096);
		header(71, 0, 48);
		u64((uint64_t)1 << 60);
		for (i = 0; i < 4; i++)
			u64(i);
		sample(1, 2, 4096);
	} else if (strcmp(kind, "nothing") == 0) {
		for (i = 0; i < 1000; i++)
			header(9, 2, 0);
	} else {
		errx(2, "no such kind: %s", kind);
	}
	if (fclose(stdout) != 0)
		err(2, NULL);
}

/* Run the command on bytes; returns its status as wait(2) has it. */
static int
run(const char *p, size_t size, char *argv[], long *kilobytes)
{
	static const struct rlimit no_core;
	int fd = memfd_create("badperf", MFD_CLOEXEC), status;
	struct rusage usage;
	pid_t pid;

	if (fd < 0 || write(fd, p, size) != (ssize_t)size)
		err(2, "memfd");
	lseek(fd, 0, SEEK_SET);
	pid = fork();
	if (pid < 0)
		err(2, "fork");
	if (pid == 0) {
		setrlimit(RLIMIT_CORE, &no_core);
		dup2(fd, 0);
		if (freopen("/dev/null", "w", stdout) == NULL ||
		    freopen("/dev/null", "w", stderr) == NULL)
			_exit(127);
		alarm(SECONDS);
		execvp(argv[0], argv);
		_exit(127);
	}
	close(fd);
	if (wait4(pid, &status, 0, &usage) < 0)
		err(2, "wait");
	*kilobytes = usage.ru_maxrss;
	return status;
}

static int
words(const char *path, char *argv[])
{
	static const uint64_t absurd[] = { 0, 1, (uint64_t)1 << 31,
					   (uint64_t)1 << 60, UINT64_MAX };
	static char bytes[MAX_SIZE], copy[MAX_SIZE];
	FILE *f = fopen(path, "rb");
	size_t size, at, k;
	int status, bad = 0;
	long kilobytes;

	if (f == NULL)
		err(2, "%s", path);
	size = fread(bytes, 1, sizeof(bytes), f);
	fclose(f);
	/* The header and the first records; and features, at the end. */
	for (at = 8; at + 8 <= size; at += 8) {
		if (at == 1200 && size > 4096)
			at = size - size % 8 - 2048;
		k = at / 8 % (sizeof(absurd) / sizeof(*absurd));
		memcpy(copy, bytes, size);
		memcpy(copy + at, &absurd[k], at % 3 == 0 ? 4 : 8);
		status = run(copy, size, argv, &kilobytes);
		if (WIFEXITED(status) && WEXITSTATUS(status) <= 2 &&
		    kilobytes <= MAX_KILOBYTES)
			continue;
		bad = 1;
		printf("%s: word at %zu is %#jx: status %#x, %ld KB\n", path,
		       at, (uintmax_t)absurd[k], (unsigned)status, kilobytes);
	}
	return bad;
}

int
main(int argc, char *argv[])
{
	if (argc > 3 && strcmp(argv[1], "words") == 0)
		return words(argv[2], argv + 3);
	if (argc != 2)
		errx(2, "usage: badperf KIND | badperf words FILE COMMAND...");
	write_kind(argv[1]);
	return 0;
}
