/*
 * harness - any command as a libFuzzer target: bytes in on standard input.
 *
 * It is linked with the command's own object, main() renamed to
 * command_main(), and with exit(3), err(3) and kin wrapped by the linker, so
 * that they come back here.  FUZZ_OPTIONS in the environment holds the
 * command's options, with blanks between.
 */
#include "os/sandbox.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <sanitizer/allocator_interface.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define NORETURN __attribute__((noreturn))

enum { MAX_WORDS = 100, MAX_LINE = 1000, MAX_FDS = 64 };
enum { MAX_BLOCKS = 1 << 20, MAX_MAPS = 1 << 10 };
enum { MAX_KBYTES = 2 << 20 }; /* of memory, all runs together */

int command_main(int argc, char *argv[]);
int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static jmp_buf back;
static bool running; /* else it is the fuzzer that exits */
static pid_t fuzzer; /* a child of the command does not come back */
static char *name;   /* of the command */

/*
 * What was allocated since the run began.  Nothing is freed on a path to
 * err(), and a few thousand such runs would fill the memory.
 */
static const volatile void *blocks[MAX_BLOCKS];
static size_t nblocks;

/* Blocks of the run only: the fuzzer's own outlive it. */
static void
on_malloc(const volatile void *p, size_t size)
{
	(void)size;
	if (running && nblocks < MAX_BLOCKS)
		blocks[nblocks++] = p;
}

static void
on_free(const volatile void *p)
{
	(void)p;
}

static void
free_blocks(void)
{
	size_t i, n = nblocks;

	for (i = 0; i < n; i++) {
		if (__sanitizer_get_ownership(blocks[i]))
			free((void *)blocks[i]);
	}
}

/*
 * What the run has mapped, for the same reason: a process may have 65530
 * mappings.
 */
static struct {
	void *p;
	size_t size;
} maps[MAX_MAPS];
static size_t nmaps;

void *__real_mmap(void *p, size_t size, int prot, int flags, int fd, off_t at);
void *__wrap_mmap(void *p, size_t size, int prot, int flags, int fd, off_t at);
int __real_munmap(void *p, size_t size);
int __wrap_munmap(void *p, size_t size);

void *
__wrap_mmap(void *p, size_t size, int prot, int flags, int fd, off_t at)
{
	p = __real_mmap(p, size, prot, flags, fd, at);
	if (p == MAP_FAILED)
		return p;
	if (nmaps == MAX_MAPS)
		abort();
	maps[nmaps].p = p;
	maps[nmaps++].size = size;
	return p;
}

int
__wrap_munmap(void *p, size_t size)
{
	size_t i;

	for (i = 0; i < nmaps; i++) {
		if (maps[i].p == p) {
			maps[i] = maps[--nmaps];
			break;
		}
	}
	return __real_munmap(p, size);
}

static void
free_maps(void)
{
	while (nmaps > 0) {
		nmaps--;
		__real_munmap(maps[nmaps].p, maps[nmaps].size);
	}
}

NORETURN void __real__exit(int status);
NORETURN void __real_exit(int status);
NORETURN void __wrap_exit(int status);
NORETURN void __wrap__exit(int status);
NORETURN void __wrap_err(int status, const char *fmt, ...);
NORETURN void __wrap_errx(int status, const char *fmt, ...);
NORETURN void __wrap_verr(int status, const char *fmt, va_list ap);
NORETURN void __wrap_verrx(int status, const char *fmt, va_list ap);
int __wrap_fclose(FILE *f);
int __real_fclose(FILE *f);

void
__wrap__exit(int status)
{
	if (!running || getpid() != fuzzer)
		__real__exit(status);
	longjmp(back, 1);
}

void
__wrap_exit(int status)
{
	if (!running)
		__real_exit(status);
	__wrap__exit(status);
}

/* No input is so large that there is no memory for it. */
void
__wrap_verr(int status, const char *fmt, va_list ap)
{
	if (running && errno == ENOMEM)
		abort();
	vwarn(fmt, ap);
	__wrap_exit(status);
}

void
__wrap_verrx(int status, const char *fmt, va_list ap)
{
	vwarnx(fmt, ap);
	__wrap_exit(status);
}

void
__wrap_err(int status, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	__wrap_verr(status, fmt, ap);
}

void
__wrap_errx(int status, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	__wrap_verrx(status, fmt, ap);
}

/* Commands close their output at the end; the next run needs it. */
int
__wrap_fclose(FILE *f)
{
	return f == stdout ? fflush(f) : __real_fclose(f);
}

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static char in[BUFSIZ], out[BUFSIZ];

	(void)argc;
	name = **argv;
	setvbuf(stdin, in, _IOFBF, sizeof(in));
	setvbuf(stdout, out, _IOFBF, sizeof(out));
	fuzzer = getpid();
	__sanitizer_install_malloc_and_free_hooks(on_malloc, on_free);
	return 0;
}

/* The command line, new for each run: a command may cut its words up. */
static int
words(char **argv)
{
	static char line[MAX_LINE];
	const char *options = getenv("FUZZ_OPTIONS");
	int n = 0;
	char *word;

	snprintf(line, sizeof(line), "%s", options != NULL ? options : "");
	argv[n++] = name;
	for (word = strtok(line, " "); word != NULL && n < MAX_WORDS;
	     word = strtok(NULL, " "))
		argv[n++] = word;
	argv[n] = NULL;
	return n;
}

/* One process makes all runs, and would lose more rights with each. */
void
sandbox_enter(const struct sandbox *may, char *const *operand)
{
	(void)may;
	(void)operand;
}

/* Bytes as standard input. */
static void
feed(const unsigned char *data, size_t size)
{
	int fd = memfd_create("input", 0);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	lseek(fd, 0, SEEK_SET);
	dup2(fd, 0);
	close(fd);
	__fpurge(stdin);
	clearerr(stdin);
}

/* Which descriptors are open; some are the fuzzer's own. */
static void
note_open(bool *is_open)
{
	int fd;

	for (fd = 0; fd < MAX_FDS; fd++)
		is_open[fd] = fcntl(fd, F_GETFD) >= 0;
}

/* Leave nothing of a run to the next. */
static void
clean_up(const bool *was_open)
{
	int fd;

	for (fd = 0; fd < MAX_FDS; fd++) {
		if (!was_open[fd])
			close(fd);
	}
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
	__fpurge(stdout);
	clearerr(stdout);
}

/*
 * The fuzzer's own look at the memory is another thread's, which would be in
 * the way of what is noted here (it is off: -rss_limit_mb=0).
 */
static void
check_memory(void)
{
	struct rusage used;

	getrusage(RUSAGE_SELF, &used);
	if (used.ru_maxrss > MAX_KBYTES)
		abort();
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	static bool was_open[MAX_FDS];
	static char *argv[MAX_WORDS + 1];
	int argc = words(argv);

	feed(data, size);
	note_open(was_open);
	optind = 0;
	nblocks = 0;
	running = true;
	if (setjmp(back) == 0)
		command_main(argc, argv);
	else
		free_blocks();
	free_maps();
	running = false;
	check_memory();
	clean_up(was_open);
	return 0;
}
