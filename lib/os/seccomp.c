/*
 * seccomp.c - refuse system calls that a command does not need.
 *
 * A list of allowed calls would be stricter, but nobody can write it: C
 * libraries, allocators, sanitizers and decompressors of other years make other
 * calls, and a call missing in the list breaks a command that works.  So this
 * is a list of refused calls: those that reach other processes, other files,
 * the network, the input of the terminal or the kernel itself.  Reading,
 * computing and writing to descriptors need none of them.
 *
 * A refused call fails with EPERM.  A call that is newer than the list fails
 * with ENOSYS, as in a kernel that does not have it.
 */
#include "os/seccomp.h"

#include "arch/arch.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LENGTH(a) (sizeof(a) / sizeof((a)[0]))

/*
 * Declarations from linux/filter.h, seccomp.h and audit.h, which some C
 * libraries lack.
 */
struct seccomp_instruction {
	uint16_t code;
	uint8_t yes, no; /* instructions to skip */
	uint32_t value;
};

struct seccomp_program {
	unsigned short n;
	struct seccomp_instruction *code;
};

/* The data that a filter tests. */
struct seccomp_call {
	int number;
	uint32_t machine;
	uint64_t instruction, argument[6];
};

enum {
	LOAD = 0x20, /* from struct seccomp_call, at an offset */
	IF_EQUAL = 0x15,
	IF_LEAST = 0x35,
	IF_BITS = 0x45,
	END = 0x06
};

enum {
	SET_FILTER = 1,
	NO_SPECULATION_GUARD = 4, /* it is slow; no secrets; Linux 4.17 */
	ALLOW = 0x7fff0000,
	FAIL = 0x00050000 /* and an errno */
};

/*
 * Calls added since Linux 5.1 have the same numbers on all machines, from this
 * number on.  C libraries work without them: clone3(), openat2(), io_uring,
 * mounts and processes by descriptor.
 */
#define TOO_NEW 424

/* Calls that a machine lacks are left out. */
static const char *const always[] = {
	/* other processes */
	"process_vm_writev", "kcmp", "rt_sigqueueinfo", "rt_tgsigqueueinfo",
	"perf_event_open", "ioprio_set", "sched_setparam", "sched_setattr",
	"sched_setaffinity", "migrate_pages", "move_pages", "shmget", "shmat",
	"shmctl", "msgget", "msgsnd", "msgrcv", "msgctl", "semget", "semop",
	"semtimedop", "semctl", "mq_open", "mq_unlink", "keyctl", "add_key",
	"request_key",
	/* other rights, other name spaces */
	"setuid", "setgid", "setreuid", "setregid", "setresuid", "setresgid",
	"setfsuid", "setfsgid", "setgroups", "capset", "personality", "unshare",
	"setns", "chroot", "pivot_root", "mount", "umount2",
	"name_to_handle_at", "open_by_handle_at",
	/* the kernel */
	"bpf", "userfaultfd", "fanotify_init", "init_module", "finit_module",
	"delete_module", "kexec_load", "kexec_file_load", "reboot", "swapon",
	"swapoff", "acct", "quotactl", "syslog", "sethostname", "setdomainname",
	"settimeofday", "clock_settime", "adjtimex", "clock_adjtime", "vhangup",
	"lookup_dcookie", "iopl", "ioperm", "modify_ldt"
};

static const char *const writing[] = {
	/* create, rename and remove files; refuse_to_open() has open() */
	"truncate", "renameat",  "renameat2", "unlinkat", "mkdirat", "mknodat",
	"linkat",   "symlinkat", "creat",     "rename",   "unlink",  "rmdir",
	"mkdir",    "mknod",     "link",      "symlink"
};

static const char *const fetching[] = {
	/* the network */
	"socket", "connect", "bind", "listen", "accept", "accept4",
	"socketpair", /* a datagram socket can send to any other socket */
	/* owners, modes and times of files, which a cache sets */
	"fchmod", "fchmodat", "fchown", "fchownat", "setxattr", "lsetxattr",
	"fsetxattr", "removexattr", "lremovexattr", "fremovexattr", "utimensat",
	"chmod", "chown", "lchown", "utime", "utimes", "futimesat"
};

static const char *const running[] = { "execve", "execveat" };
static const char *const traced[] = { "ptrace" };
static const char *const sampling[] = { "process_vm_readv",
					"sched_setscheduler", "setpriority" };

/* Lists of refused calls, unless one of these bits is set. */
static const struct {
	unsigned unless;
	const char *const *call;
	size_t n;
} lists[] = { { 0, always, LENGTH(always) },
	      { SYSCALLS_WRITES, writing, LENGTH(writing) },
	      { SYSCALLS_FETCHES, fetching, LENGTH(fetching) },
	      { SYSCALLS_RUNS, running, LENGTH(running) },
	      { SYSCALLS_SAMPLES, sampling, LENGTH(sampling) },
	      { SYSCALLS_TRACED | SYSCALLS_SAMPLES, traced, LENGTH(traced) } };

#define NAME_SPACES \
	(CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | \
	 CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET)

/* Unnamed files are allowed: linkat(), which could name them, is refused. */
#define TO_WRITE (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC)
#define UNNAMED (O_TMPFILE & ~O_DIRECTORY)

/* Two instructions for each range of numbers, and some for arguments. */
#define MAX_INSTRUCTIONS 512

static void
put(struct seccomp_program *p, int code, uint32_t value, int yes, int no)
{
	p->code[p->n++] = (struct seccomp_instruction){ (uint16_t)code,
							(uint8_t)yes,
							(uint8_t)no, value };
}

static void
load(struct seccomp_program *p, size_t offset)
{
	put(p, LOAD, (uint32_t)offset, 0, 0);
}

static void
end(struct seccomp_program *p, uint32_t how)
{
	put(p, END, how, 0, 0);
}

#define REFUSE (FAIL | EPERM)

/* The lower half of an argument; the kernel ignores the rest of these. */
#define ARGUMENT(i) \
	(offsetof(struct seccomp_call, argument) + (i) * sizeof(uint64_t))
#define NUMBER offsetof(struct seccomp_call, number)

/* Refuse a call if the comparison with an argument is true, or is not. */
static void
refuse_if(struct seccomp_program *p, const char *call, size_t argument,
	  bool is_true, int comparison, uint32_t value)
{
	const int number = arch_call_number(call);

	if (number < 0)
		return;
	put(p, IF_EQUAL, (uint32_t)number, 0, 4);
	load(p, ARGUMENT(argument));
	put(p, comparison, value, !is_true, is_true);
	end(p, REFUSE);
	load(p, NUMBER);
}

/* Refuse signals to processes other than two. */
static void
refuse_to_kill(struct seccomp_program *p, uint32_t self, uint32_t child)
{
	const int number = arch_call_number("kill");

	if (number < 0)
		return;
	put(p, IF_EQUAL, (uint32_t)number, 0, 5);
	load(p, ARGUMENT(0));
	put(p, IF_EQUAL, self, 2, 0);
	put(p, IF_EQUAL, child, 1, 0);
	end(p, REFUSE);
	load(p, NUMBER);
}

/*
 * Refuse requests of ptrace(2) other than those that stop a thread, read its
 * registers and let it go on: none that writes to it, steps it, or sets an
 * option, such as to kill it when we end.
 */
static void
refuse_to_trace(struct seccomp_program *p)
{
	const int number = arch_call_number("ptrace");

	if (number < 0)
		return;
	put(p, IF_EQUAL, (uint32_t)number, 0, 9);
	load(p, ARGUMENT(0));
	put(p, IF_EQUAL, PTRACE_GETREGSET, 6, 0);
	put(p, IF_EQUAL, PTRACE_INTERRUPT, 5, 0);
	put(p, IF_EQUAL, PTRACE_DETACH, 4, 0);
	put(p, IF_EQUAL, PTRACE_SEIZE, 0, 2);
	load(p, ARGUMENT(3)); /* options */
	put(p, IF_EQUAL, 0, 1, 0);
	end(p, REFUSE);
	load(p, NUMBER);
}

/* Refuse calls by their arguments. */
static void
refuse_arguments(struct seccomp_program *p, int child)
{
	const uint32_t self = (uint32_t)getpid();

	refuse_if(p, "clone", 0, true, IF_BITS, NAME_SPACES);
	refuse_to_kill(p, self, child == 0 ? self : (uint32_t)child);
	refuse_if(p, "tkill", 0, false, IF_EQUAL, self);
	refuse_if(p, "tgkill", 0, false, IF_EQUAL, self);
	refuse_if(p, "prlimit64", 0, false, IF_EQUAL, 0);
	refuse_if(p, "ioctl", 1, true, IF_EQUAL, TIOCSTI);
	refuse_if(p, "ioctl", 1, true, IF_EQUAL, TIOCLINUX);
	/* These direct signals of a descriptor to any process. */
	refuse_if(p, "ioctl", 1, true, IF_EQUAL, FIOSETOWN);
	refuse_if(p, "ioctl", 1, true, IF_EQUAL, SIOCSPGRP);
	refuse_if(p, "fcntl", 1, true, IF_EQUAL, F_SETOWN);
	refuse_if(p, "fcntl", 1, true, IF_EQUAL, F_SETOWN_EX);
}

static void
refuse_to_open_by(struct seccomp_program *p, const char *call, size_t flags)
{
	const int number = arch_call_number(call);

	if (number < 0)
		return;
	put(p, IF_EQUAL, (uint32_t)number, 0, 5);
	load(p, ARGUMENT(flags));
	put(p, IF_BITS, UNNAMED, 2, 0);
	put(p, IF_BITS, TO_WRITE, 0, 1);
	end(p, REFUSE);
	load(p, NUMBER);
}

/* Refuse to open files for writing. */
static void
refuse_to_open(struct seccomp_program *p)
{
	refuse_to_open_by(p, "openat", 2);
	refuse_to_open_by(p, "open", 1);
}

/*
 * The ranges of numbers between starts are refused and allowed in turn.  Emit a
 * binary search, which keeps the filter fast: the kernel runs it for every
 * number when it is installed.
 */
static void
search_ranges(struct seccomp_program *p, const uint32_t *start, int n,
	      bool refused)
{
	const int half = n / 2;

	if (n == 1) {
		end(p, refused ? REFUSE : ALLOW);
		return;
	}
	put(p, IF_LEAST, start[half], 2 * half - 1, 0);
	search_ranges(p, start, half, refused);
	search_ranges(p, start + half, n - half, refused ^ (half % 2 != 0));
}

static void
refuse_lists(struct seccomp_program *p, unsigned may)
{
	bool refused[TOO_NEW] = { false };
	uint32_t start[TOO_NEW];
	size_t i, k;
	int n = 0, number;

	for (i = 0; i < LENGTH(lists); i++) {
		for (k = 0; k < lists[i].n && !(lists[i].unless & may); k++) {
			number = arch_call_number(lists[i].call[k]);
			if (number >= 0 && number < TOO_NEW)
				refused[number] = true;
		}
	}
	for (i = 0; i < TOO_NEW; i++) {
		if (i == 0 || refused[i] != refused[i - 1])
			start[n++] = (uint32_t)i;
	}
	search_ranges(p, start, n, refused[0]);
}

void
seccomp_apply(unsigned may, int child)
{
	const struct arch *arch = arch_host();
	struct seccomp_instruction code[MAX_INSTRUCTIONS];
	struct seccomp_program p = { 0, code };

	if (arch == NULL)
		return;
	load(&p, offsetof(struct seccomp_call, machine));
	put(&p, IF_EQUAL, arch->audit, 1, 0);
	end(&p, REFUSE);
	load(&p, NUMBER);
	put(&p, IF_LEAST, TOO_NEW, 0, 1);
	end(&p, FAIL | ENOSYS);
	refuse_arguments(&p, child);
	if ((may & (SYSCALLS_SAMPLES | SYSCALLS_TRACED)) == SYSCALLS_SAMPLES)
		refuse_to_trace(&p);
	if (!(may & SYSCALLS_WRITES))
		refuse_to_open(&p);
	refuse_lists(&p, may);
	if (syscall(SYS_seccomp, SET_FILTER, NO_SPECULATION_GUARD, &p) != 0)
		syscall(SYS_seccomp, SET_FILTER, 0, &p);
}
