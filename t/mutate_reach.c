/*
 * mutate_reach - which code of the rooms each test runs, for t/mutate.
 *
 * It is linked into each library of the rooms, whose code is compiled with
 * -fsanitize-coverage=trace-pc.  A byte of $FOLD_REACH/NUMBER.LIBRARY is set
 * for each basic block that test NUMBER runs, in all its processes: the file is
 * mapped when a process begins, before it gives up its rights.  The name of the
 * program is the name of an empty file, $FOLD_REACH/NUMBER@PROGRAM.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char etext[];

__attribute__((visibility("hidden"))) void __sanitizer_cov_trace_pc(void);

static unsigned char *reached;
static size_t size;

void
__sanitizer_cov_trace_pc(void)
{
	size_t at = (size_t)((char *)__builtin_return_address(0) -
			     __ehdr_start);

	if (reached != NULL && at < size)
		reached[at] = 1;
}

static int
make(const char *folder, const char *number, const char *rest)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/%s%s", folder, number, rest);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (fd >= 0)
		fchmod(fd, 0666);
	return fd;
}

static __attribute__((constructor)) void
begin(void)
{
	const char *folder = getenv("FOLD_REACH");
	const char *number = getenv("BATS_TEST_NUMBER");
	char program[256];
	int fd, saved = errno;

	if (folder == NULL || number == NULL)
		return;
	snprintf(program, sizeof(program), "@%s",
		 program_invocation_short_name);
	close(make(folder, number, program));
	fd = make(folder, number, "." LIBRARY);
	size = LIBRARY_SIZE;
	if (fd >= 0 && ftruncate(fd, (off_t)size) == 0) {
		reached = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED,
			       fd, 0);
		if (reached == MAP_FAILED)
			reached = NULL;
	}
	if (fd >= 0)
		close(fd);
	errno = saved;
}
