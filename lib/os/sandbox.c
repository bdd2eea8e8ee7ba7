/* sandbox.c - drop the rights that a command does not need. */
#include "os/sandbox.h"

#include "os/seccomp.h"
#include "os/temp.h"

#include <fcntl.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Declarations from linux/landlock.h of Linux 6.12, because the installed
 * headers may be older than the kernel.  Nearly all machines use these system
 * call numbers.
 */
enum { CREATE_RULESET = 444, ADD_RULE, RESTRICT_SELF };
enum { ASK_VERSION = 1, PATH_BENEATH = 1 };

/* Rights to files and folders. */
enum {
	EXECUTE = 1 << 0,
	WRITE_FILE = 1 << 1,
	READ_FILE = 1 << 2,
	READ_DIR = 1 << 3,
	REMOVE_FILE = 1 << 5,
	MAKE_REG = 1 << 8,
	TRUNCATE = 1 << 14,

	READ = READ_FILE | READ_DIR,
	WRITE = WRITE_FILE | TRUNCATE,
	OF_FILES = EXECUTE | READ_FILE | WRITE,
	MAKE = WRITE | MAKE_REG | REMOVE_FILE /* in a folder; also rename */
};

/* Rights that are refused unless a rule allows them. */
struct ruleset {
	uint64_t files;
	uint64_t network; /* to bind and to connect TCP */
	uint64_t scope;   /* abstract sockets and signals of other processes */
};

struct rule {
	uint64_t rights;
	int32_t fd;
};

/* All rights that a version of Landlock knows. */
static struct ruleset
all_rights(long version)
{
	const int files = version >= 5 ? 16 :
			  version >= 3 ? 15 :
			  version == 2 ? 14 :
					 13;

	return (struct ruleset){ .files = (1u << files) - 1,
				 .network = version >= 4 ? 3 : 0,
				 .scope = version >= 6 ? 3 : 0 };
}

/* Add a rule for a path, unless it is missing or cannot be opened. */
static void
allow(int ruleset, const char *path, uint64_t rights)
{
	struct rule rule = { rights, open(path, O_PATH | O_CLOEXEC) };
	struct stat st;

	if (rule.fd < 0)
		return;
	if (fstat(rule.fd, &st) == 0 && !S_ISDIR(st.st_mode))
		rule.rights &= OF_FILES;
	syscall(ADD_RULE, ruleset, PATH_BENEATH, &rule, 0);
	close(rule.fd);
}

static void
confine_files(const struct sandbox *may, char *const *operand)
{
	long version = syscall(CREATE_RULESET, NULL, 0, ASK_VERSION);
	struct ruleset all = all_rights(version);
	int ruleset;

	if (version < 1)
		return;
	if (may->runs)
		all.files &= ~(uint64_t)(READ | EXECUTE);
	ruleset = (int)syscall(CREATE_RULESET, &all, sizeof(all), 0);
	if (ruleset < 0)
		return;
	for (; !may->runs && *operand != NULL; operand++)
		allow(ruleset, *operand, READ);
	if (may->folder != NULL)
		allow(ruleset, may->folder, READ & all.files);
	if (may->spills)
		allow(ruleset, temp_folder(), (MAKE | READ_FILE) & all.files);
	syscall(RESTRICT_SELF, ruleset, 0);
	close(ruleset);
}

static unsigned
needed_calls(const struct sandbox *may)
{
	unsigned calls = 0;

	if (may->spills && !temp_is_unnamed())
		calls |= SYSCALLS_WRITES;
	if (may->runs)
		calls |= SYSCALLS_RUNS;
	if (may->fetches)
		calls |= SYSCALLS_WRITES | SYSCALLS_FETCHES;
	if (may->samples)
		calls |= SYSCALLS_SAMPLES;
	return calls;
}

/*
 * Instrumented builds need more rights: LeakSanitizer traces the process
 * through /proc, its report runs a symbolizer, and gcov writes files.  Only
 * such builds have these functions.
 */
extern void __lsan_do_leak_check(void) __attribute__((weak));
extern void __gcov_exit(void) __attribute__((weak));

static bool
is_instrumented(void)
{
	return __lsan_do_leak_check != NULL || __gcov_exit != NULL;
}

/*
 * Landlock also hides parts of /proc of processes outside, such as their root
 * folders.  Commands that look for symbols there go without Landlock.
 */
void
sandbox_enter(const struct sandbox *may, char *const *operand)
{
	unsigned calls = needed_calls(may);

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return;
	if (is_instrumented())
		calls |= SYSCALLS_WRITES | SYSCALLS_RUNS | SYSCALLS_TRACED;
	else if (!may->reads_all)
		confine_files(may, operand);
	seccomp_apply(calls, may->child);
}
