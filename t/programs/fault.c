/*
 * fault - preloaded into a command, makes what it asks of the system fail;
 * faults(.c) says what, and counts.
 *
 * Allocations and new processes are taken by their symbols.  System calls are
 * not all made by the program itself: stdio's cannot be had so.  They are
 * trapped by seccomp(2), where they come from the C library, and made here in
 * a handler.  What a child executes has its C library elsewhere, and no faults.
 */
#include "fault.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#define LENGTH(a) (sizeof(a) / sizeof((a)[0]))

static struct fault *fault; /* NULL before main() begins */

/* Count a call; whether it is to fail, with errno set if so. */
static bool
fails(enum fault_kind kind)
{
	uint32_t n;

	if (fault == NULL)
		return false;
	n = __atomic_add_fetch(&fault->calls[kind], 1, __ATOMIC_RELAXED);
	if (fault->kind != kind || fault->how != FAULT_ERROR || n != fault->n)
		return false;
	errno = fault->error;
	return true;
}

/* Where the code of an object lies. */
struct range {
	uintptr_t start, end;
};

static struct range program, libc, jsonc;

static bool
is_in(const struct range *r, uintptr_t address)
{
	return address >= r->start && address < r->end;
}

/*
 * Allocations of the program itself, and of json-c, which goes on without what
 * it could not make: the program has to see that.  What other libraries do
 * without memory is their own affair, and they do not all end well: libdw has
 * assertions.
 */
#define FAILS_HERE() fails_at((uintptr_t)__builtin_return_address(0))

static bool
fails_at(uintptr_t caller)
{
	return (is_in(&program, caller) || is_in(&jsonc, caller)) &&
	       fails(FAULT_ALLOC);
}

static void *
next(const char *symbol)
{
	void *p = dlsym(RTLD_NEXT, symbol);

	if (p == NULL)
		abort();
	return p;
}

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);

void *
malloc(size_t size)
{
	return FAILS_HERE() ? NULL : __libc_malloc(size);
}

void *
calloc(size_t n, size_t size)
{
	return FAILS_HERE() ? NULL : __libc_calloc(n, size);
}

void *
realloc(void *p, size_t size)
{
	return FAILS_HERE() ? NULL : __libc_realloc(p, size);
}

void *
mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
	void *(*real)(void *, size_t, int, int, int, off_t) = next("mmap");

	return FAILS_HERE() ? MAP_FAILED :
			      real(at, size, protection, flags, fd, offset);
}

/* New processes. */

pid_t
fork(void)
{
	pid_t (*real)(void) = next("fork");

	return fails(FAULT_FORK) ? -1 : real();
}

int
posix_spawnp(pid_t *pid, const char *file,
	     const posix_spawn_file_actions_t *actions,
	     const posix_spawnattr_t *attr, char *const argv[],
	     char *const env[])
{
	int (*real)(pid_t *, const char *, const posix_spawn_file_actions_t *,
		    const posix_spawnattr_t *, char *const[],
		    char *const[]) = next("posix_spawnp");

	return fails(FAULT_FORK) ? fault->error :
				   real(pid, file, actions, attr, argv, env);
}

/* System calls. */

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#define ARGUMENT(c, i) \
	((c)->uc_mcontext.gregs[(const int[]){ REG_RDI, REG_RSI, REG_RDX, \
					       REG_R10, REG_R8, REG_R9 }[i]])
#define RESULT(c) ((c)->uc_mcontext.gregs[REG_RAX])

/* Made here, the call does not come from the C library, and is not trapped. */
static long
call(long number, const long *a)
{
	register long r10 __asm__("r10") = a[3];
	register long r8 __asm__("r8") = a[4];
	register long r9 __asm__("r9") = a[5];
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a[0]), "S"(a[1]), "d"(a[2]),
			   "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#define ARGUMENT(c, i) ((c)->uc_mcontext.regs[i])
#define RESULT(c) ((c)->uc_mcontext.regs[0])

static long
call(long number, const long *a)
{
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = a[0];
	register long x1 __asm__("x1") = a[1];
	register long x2 __asm__("x2") = a[2];
	register long x3 __asm__("x3") = a[3];
	register long x4 __asm__("x4") = a[4];
	register long x5 __asm__("x5") = a[5];

	__asm__ volatile("svc 0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory");
	return x0;
}
#elif defined(__riscv)
#define ARCH AUDIT_ARCH_RISCV64
#define ARGUMENT(c, i) ((c)->uc_mcontext.__gregs[REG_A0 + (i)])
#define RESULT(c) ((c)->uc_mcontext.__gregs[REG_A0])

static long
call(long number, const long *a)
{
	register long a7 __asm__("a7") = number;
	register long a0 __asm__("a0") = a[0];
	register long a1 __asm__("a1") = a[1];
	register long a2 __asm__("a2") = a[2];
	register long a3 __asm__("a3") = a[3];
	register long a4 __asm__("a4") = a[4];
	register long a5 __asm__("a5") = a[5];

	__asm__ volatile("ecall"
			 : "+r"(a0)
			 : "r"(a7), "r"(a1), "r"(a2), "r"(a3), "r"(a4), "r"(a5)
			 : "memory");
	return a0;
}
#endif

static const struct {
	unsigned int number;
	enum fault_kind kind;
	bool has_size; /* the third argument: it can do less */
} traps[] = {
	{ SYS_read, FAULT_READ, true },
	{ SYS_pread64, FAULT_READ, true },
	{ SYS_getdents64, FAULT_READ, false },
	{ SYS_write, FAULT_WRITE, true },
	{ SYS_close, FAULT_CLOSE, false },
	{ SYS_openat, FAULT_OPEN, false },
	{ SYS_pipe2, FAULT_OPEN, false },
};

/* What an interrupted call would do is done the next time. */
static bool
is_interrupted(uint32_t n)
{
	return n % 2 == 1;
}

/* A few bytes at first, then more, so that long files come to an end. */
static long
shorten(long size, uint32_t n)
{
	long less = n < 1000 ? 1 + n % 7 : size / 3;

	return less > 0 && less < size ? less : size;
}

static long
trapped(int number, long *argument)
{
	size_t i;
	enum fault_kind kind;

	for (i = 0; i < LENGTH(traps) - 1; i++) {
		if (traps[i].number == (unsigned int)number)
			break;
	}
	kind = traps[i].kind;
	if (fails(kind)) {
		if (kind == FAULT_CLOSE) /* is done, whatever is said */
			call(number, argument);
		return -fault->error;
	}
	if (traps[i].has_size && fault->kind == kind) {
		if (fault->how == FAULT_EINTR &&
		    is_interrupted(fault->calls[kind]))
			return -EINTR;
		if (fault->how == FAULT_SHORT)
			argument[2] = shorten(argument[2], fault->calls[kind]);
	}
	return call(number, argument);
}

static void
handle(int signal, siginfo_t *info, void *context)
{
	ucontext_t *c = context;
	int i, saved = errno;
	long argument[6];

	(void)signal;
	for (i = 0; i < 6; i++)
		argument[i] = (long)ARGUMENT(c, i);
	RESULT(c) = (__typeof__(RESULT(c)))trapped(info->si_syscall, argument);
	errno = saved;
}

/* The code that the end of a range is in. */
static int
find_code(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct range *r = arg, code;
	size_t i;

	(void)size;
	for (i = 0; i < info->dlpi_phnum; i++) {
		code.start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
		code.end = code.start + info->dlpi_phdr[i].p_memsz;
		if ((info->dlpi_phdr[i].p_flags & PF_X) == 0 ||
		    !is_in(&code, r->end))
			continue;
		*r = code;
		return 1;
	}
	return 0;
}

#define LOAD(field, more) \
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, \
		 offsetof(struct seccomp_data, field) + (more))
#define JUMP(how, value, yes, no) \
	BPF_JUMP(BPF_JMP | (how) | BPF_K, value, yes, no)
#define RETURN(what) BPF_STMT(BPF_RET | BPF_K, what)

/* Trap what comes from the C library; false if that cannot be. */
static bool
set_trap(void)
{
	struct sigaction action = { .sa_sigaction = handle,
				    .sa_flags = SA_SIGINFO | SA_NODEFER };
	struct sock_filter filter[8 + LENGTH(traps) + 2], *p = filter;
	size_t i;

	if (libc.start >> 32 != libc.end >> 32)
		return false;
	*p++ = (struct sock_filter)LOAD(arch, 0);
	*p++ = (struct sock_filter)JUMP(BPF_JEQ, ARCH, 0,
					(uint8_t)LENGTH(traps) + 6);
	*p++ = (struct sock_filter)LOAD(instruction_pointer, 0);
	*p++ = (struct sock_filter)JUMP(BPF_JGE, (uint32_t)libc.start, 0,
					(uint8_t)LENGTH(traps) + 4);
	*p++ = (struct sock_filter)JUMP(BPF_JGE, (uint32_t)libc.end,
					(uint8_t)LENGTH(traps) + 3, 0);
	*p++ = (struct sock_filter)LOAD(instruction_pointer, 4);
	*p++ = (struct sock_filter)JUMP(BPF_JEQ, (uint32_t)(libc.start >> 32),
					0, (uint8_t)LENGTH(traps) + 1);
	*p++ = (struct sock_filter)LOAD(nr, 0);
	for (i = 0; i < LENGTH(traps); i++)
		*p++ = (struct sock_filter)JUMP(
		    BPF_JEQ, traps[i].number, (uint8_t)(LENGTH(traps) - i), 0);
	*p++ = (struct sock_filter)RETURN(SECCOMP_RET_ALLOW);
	*p++ = (struct sock_filter)RETURN(SECCOMP_RET_TRAP);
	return sigaction(SIGSYS, &action, NULL) == 0 &&
	       prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER,
		     &(struct sock_fprog){ (unsigned short)(p - filter),
					   filter }) == 0;
}

__attribute__((constructor)) static void
begin(void)
{
	const char *fd = getenv(FAULT_FD);
	void *shared;

	if (fd == NULL)
		return;
	shared = mmap(NULL, sizeof(*fault), PROT_READ | PROT_WRITE, MAP_SHARED,
		      atoi(fd), 0);
	close(atoi(fd));
	/* Not for what the command executes. */
	unsetenv("LD_PRELOAD");
	unsetenv(FAULT_FD);
	program.end = getauxval(AT_ENTRY);
	libc.end = (uintptr_t)next("getppid");
	jsonc.end = (uintptr_t)dlsym(RTLD_NEXT, "json_tokener_new");
	dl_iterate_phdr(find_code, &jsonc); /* few commands have it */
	if (shared == MAP_FAILED || !dl_iterate_phdr(find_code, &program) ||
	    !dl_iterate_phdr(find_code, &libc) || !set_trap())
		_exit(FAULT_IMPOSSIBLE);
	fault = shared;
}
