/*
 * callfilter.c - calls of the system that a command gives up.
 *
 * A list of what is allowed would be stricter, but nobody can write it: C
 * libraries, allocators, sanitizers and decompressors of other years make
 * other calls, and one that is forgotten kills a command that works.  So it
 * is a list of what is refused: everything that reaches other processes, other
 * files, the network, the terminal's input or the kernel's own affairs, of
 * which reading, computing and writing to descriptors need nothing.  A call
 * that is refused fails with EPERM, and one that is newer than the list, of
 * which nobody has thought here, fails as in a kernel that does not have it.
 */
#include "callfilter.h"

#if defined(__x86_64__) || defined(__aarch64__)

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LENGTH(a) (sizeof(a) / sizeof((a)[0]))

/*
 * As linux/filter.h, seccomp.h and audit.h have it, which are not there for
 * every C library.
 */
struct instruction {
	uint16_t code;
	uint8_t yes, no; /* instructions to skip */
	uint32_t value;
};

struct program {
	unsigned short n;
	struct instruction *code;
};

/* What the instructions look at. */
struct call {
	int number;
	uint32_t machine;
	uint64_t instruction, argument[6];
};

enum {
	LOAD = 0x20, /* of struct call, at an offset */
	IF_EQUAL = 0x15,
	IF_LEAST = 0x35,
	IF_BITS = 0x45,
	END = 0x06
};

enum {
	SET_FILTER = 1,
	NO_SLOWER = 4, /* than without, as there are no secrets; Linux 4.17 */
	ALLOW = 0x7fff0000,
	FAIL = 0x00050000 /* and an errno */
};

/* Calls that other machines never had, as there are newer ones for the same. */
#ifdef __x86_64__
#define MACHINE 0xc000003e
#define OLD(...) __VA_ARGS__,
#else
#define MACHINE 0xc00000b7
#define OLD(...)
#endif

/*
 * Linux 5.1 began with one number for all architectures.  C libraries do
 * without what it and others brought: clone3(), openat2(), io_uring, mounts
 * and processes by descriptors.
 */
#define TOO_NEW 424

static const int always[] = {
	/* other processes */
	SYS_process_vm_readv, SYS_process_vm_writev, SYS_kcmp,
	SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo, SYS_perf_event_open,
	SYS_setpriority, SYS_ioprio_set, SYS_sched_setparam,
	SYS_sched_setscheduler, SYS_sched_setattr, SYS_sched_setaffinity,
	SYS_migrate_pages, SYS_move_pages, SYS_shmget, SYS_shmat, SYS_shmctl,
	SYS_msgget, SYS_msgsnd, SYS_msgrcv, SYS_msgctl, SYS_semget, SYS_semop,
	SYS_semtimedop, SYS_semctl, SYS_mq_open, SYS_mq_unlink, SYS_keyctl,
	SYS_add_key, SYS_request_key,
	/* other rights, other name spaces */
	SYS_setuid, SYS_setgid, SYS_setreuid, SYS_setregid, SYS_setresuid,
	SYS_setresgid, SYS_setfsuid, SYS_setfsgid, SYS_setgroups, SYS_capset,
	SYS_personality, SYS_unshare, SYS_setns, SYS_chroot, SYS_pivot_root,
	SYS_mount, SYS_umount2, SYS_name_to_handle_at, SYS_open_by_handle_at,
	/* the kernel */
	SYS_bpf, SYS_userfaultfd, SYS_fanotify_init, SYS_init_module,
	SYS_finit_module, SYS_delete_module, SYS_kexec_load,
	SYS_kexec_file_load, SYS_reboot, SYS_swapon, SYS_swapoff, SYS_acct,
	SYS_quotactl, SYS_syslog, SYS_sethostname, SYS_setdomainname,
	SYS_settimeofday, SYS_clock_settime, SYS_adjtimex, SYS_clock_adjtime,
	SYS_vhangup, SYS_lookup_dcookie,
	OLD(SYS_iopl, SYS_ioperm, SYS_modify_ldt)
};

static const int writing[] = {
	/* which files there are; opening them is looked at below */
	SYS_truncate,
	SYS_renameat,
	SYS_renameat2,
	SYS_unlinkat,
	SYS_mkdirat,
	SYS_mknodat,
	SYS_linkat,
	SYS_symlinkat,
	OLD(SYS_creat, SYS_rename, SYS_unlink, SYS_rmdir, SYS_mkdir, SYS_mknod,
	    SYS_link, SYS_symlink)
};

static const int fetching[] = {
	/* the network */
	SYS_socket, SYS_connect, SYS_bind, SYS_listen, SYS_accept, SYS_accept4,
	SYS_socketpair, /* one of datagrams reaches any other socket, too */
	/* whose files are, and how old, which a cache of them sets */
	SYS_fchmod, SYS_fchmodat, SYS_fchown, SYS_fchownat, SYS_setxattr,
	SYS_lsetxattr, SYS_fsetxattr, SYS_removexattr, SYS_lremovexattr,
	SYS_fremovexattr, SYS_utimensat,
	OLD(SYS_chmod, SYS_chown, SYS_lchown, SYS_utime, SYS_utimes,
	    SYS_futimesat)
};

static const int running[] = { SYS_execve, SYS_execveat };
static const int traced[] = { SYS_ptrace };

/* Refused unless needed for this; 0: always. */
static const struct {
	unsigned unless;
	const int *call;
	size_t n;
} lists[] = { { 0, always, LENGTH(always) },
	      { CALLFILTER_WRITES, writing, LENGTH(writing) },
	      { CALLFILTER_FETCHES, fetching, LENGTH(fetching) },
	      { CALLFILTER_RUNS, running, LENGTH(running) },
	      { CALLFILTER_TRACED, traced, LENGTH(traced) } };

#define NAME_SPACES \
	(CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | \
	 CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET)

/* A file without a name can never get one, as nothing links it. */
#define TO_WRITE (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC)
#define UNNAMED (O_TMPFILE & ~O_DIRECTORY)

/* Two instructions for each change in the numbers, and some for arguments. */
#define ROOM 512

static void
put(struct program *p, int code, uint32_t value, int yes, int no)
{
	p->code[p->n++] = (struct instruction){ (uint16_t)code, (uint8_t)yes,
						(uint8_t)no, value };
}

static void
load(struct program *p, size_t offset)
{
	put(p, LOAD, (uint32_t)offset, 0, 0);
}

static void
end(struct program *p, uint32_t how)
{
	put(p, END, how, 0, 0);
}

#define REFUSE (FAIL | EPERM)

/* The lower half of an argument; the kernel looks at no more of these. */
#define ARGUMENT(i) (offsetof(struct call, argument) + (i) * sizeof(uint64_t))
#define NUMBER offsetof(struct call, number)

/* Refuse a call if an argument compares so, or, if not holds, does not. */
static void
refuse_if(struct program *p, int call, size_t argument, bool holds,
	  int comparison, uint32_t with)
{
	put(p, IF_EQUAL, (uint32_t)call, 0, 4);
	load(p, ARGUMENT(argument));
	put(p, comparison, with, !holds, holds);
	end(p, REFUSE);
	load(p, NUMBER);
}

/* What is refused by what it is asked for. */
static void
look_at_arguments(struct program *p)
{
	const uint32_t self = (uint32_t)getpid();

	refuse_if(p, SYS_clone, 0, true, IF_BITS, NAME_SPACES);
	refuse_if(p, SYS_kill, 0, false, IF_EQUAL, self);
	refuse_if(p, SYS_tkill, 0, false, IF_EQUAL, self);
	refuse_if(p, SYS_tgkill, 0, false, IF_EQUAL, self);
	refuse_if(p, SYS_prlimit64, 0, false, IF_EQUAL, 0);
	refuse_if(p, SYS_ioctl, 1, true, IF_EQUAL, TIOCSTI);
	refuse_if(p, SYS_ioctl, 1, true, IF_EQUAL, TIOCLINUX);
	/* Who gets signals of a descriptor, which may be any. */
	refuse_if(p, SYS_ioctl, 1, true, IF_EQUAL, FIOSETOWN);
	refuse_if(p, SYS_ioctl, 1, true, IF_EQUAL, SIOCSPGRP);
	refuse_if(p, SYS_fcntl, 1, true, IF_EQUAL, F_SETOWN);
	refuse_if(p, SYS_fcntl, 1, true, IF_EQUAL, F_SETOWN_EX);
}

static void
refuse_to_open_by(struct program *p, int call, size_t flags)
{
	put(p, IF_EQUAL, (uint32_t)call, 0, 5);
	load(p, ARGUMENT(flags));
	put(p, IF_BITS, UNNAMED, 2, 0);
	put(p, IF_BITS, TO_WRITE, 0, 1);
	end(p, REFUSE);
	load(p, NUMBER);
}

/* Opening files to write. */
static void
refuse_to_open(struct program *p)
{
	refuse_to_open_by(p, SYS_openat, 2);
#ifdef SYS_open
	refuse_to_open_by(p, SYS_open, 1);
#endif
}

/*
 * Refuse and allow, by turns, what lies between numbers: a search in halves,
 * since the kernel tries the program with every number when it gets it.
 */
static void
decide(struct program *p, const uint32_t *start, int n, bool refused)
{
	const int half = n / 2;

	if (n == 1) {
		end(p, refused ? REFUSE : ALLOW);
		return;
	}
	put(p, IF_LEAST, start[half], 2 * half - 1, 0);
	decide(p, start, half, refused);
	decide(p, start + half, n - half, refused ^ (half % 2 != 0));
}

static void
refuse_lists(struct program *p, unsigned may)
{
	bool refused[TOO_NEW] = { false };
	uint32_t start[TOO_NEW];
	size_t i, k;
	int n = 0;

	for (i = 0; i < LENGTH(lists); i++) {
		for (k = 0; k < lists[i].n && !(lists[i].unless & may); k++)
			refused[lists[i].call[k]] = true;
	}
	for (i = 0; i < TOO_NEW; i++) {
		if (i == 0 || refused[i] != refused[i - 1])
			start[n++] = (uint32_t)i;
	}
	decide(p, start, n, refused[0]);
}

void
callfilter(unsigned may)
{
	struct instruction code[ROOM];
	struct program p = { 0, code };

	load(&p, offsetof(struct call, machine));
	put(&p, IF_EQUAL, MACHINE, 1, 0);
	end(&p, REFUSE);
	load(&p, NUMBER);
	put(&p, IF_LEAST, TOO_NEW, 0, 1);
	end(&p, FAIL | ENOSYS);
	look_at_arguments(&p);
	if (!(may & CALLFILTER_WRITES))
		refuse_to_open(&p);
	refuse_lists(&p, may);
	if (syscall(SYS_seccomp, SET_FILTER, NO_SLOWER, &p) != 0)
		syscall(SYS_seccomp, SET_FILTER, 0, &p);
}

#else

void
callfilter(unsigned may)
{
	(void)may;
}

#endif
