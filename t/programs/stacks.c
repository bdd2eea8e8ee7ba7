/*
 * stacks - a process with stacks that are hard to unwind, for tests.
 *
 *	stacks wait	threads that wait, each in a way of its own; a line
 *			"ready" tells that they do
 *	stacks step	a short program, to be executed step by step
 */
#include <alloca.h>
#include <dlfcn.h>
#include <err.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#if !defined(SA_RESTORER)
#define SA_RESTORER 0x04000000
#endif
#define NOINLINE __attribute__((noinline))

static pthread_barrier_t all_wait;
static volatile int sink;

/* Does not return, but the compiler does not know. */
static NOINLINE void
stop_here(void)
{
	pthread_barrier_wait(&all_wait);
	while (sink != -1)
		pause();
	sink++;
}

static NOINLINE int
recurse(int n)
{
	int r;

	if (n == 0) {
		stop_here();
		return 0;
	}
	r = recurse(n - 1);
	sink = r;
	return r + 1;
}

/* The size of the frame is known at run time only. */
static NOINLINE int
with_alloca(size_t n)
{
	char *p = alloca(n);

	memset(p, 1, n);
	sink = p[n / 2];
	if (n > 20000)
		stop_here();
	else
		with_alloca(2 * n + 1);
	return p[0];
}

/* The frame is aligned to more than the ABI has. */
static NOINLINE int
aligned(int n)
{
	alignas(128) volatile char p[256];

	p[n] = 1;
	recurse(n);
	return p[0];
}

static int
compare(const void *a, const void *b)
{
	stop_here();
	return memcmp(a, b, 1);
}

static NOINLINE void
sorting(void)
{
	char p[] = "sorting";

	qsort(p, sizeof(p) - 1, 1, compare);
	sink = p[0];
}

static void
on_signal(int number)
{
	sink = number;
	stop_here();
	sink = number;
}

static NOINLINE void
in_signal(void)
{
	signal(SIGUSR1, on_signal);
	pthread_kill(pthread_self(), SIGUSR1);
	sink++;
}

/* Interrupted in its own code, not in a call. */
static NOINLINE void
interrupted(void)
{
	struct itimerspec in = { .it_value.tv_nsec = 1000000 };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL,
				  .sigev_signo = SIGUSR2 };
	timer_t timer;

	signal(SIGUSR2, on_signal);
	pthread_sigmask(SIG_UNBLOCK,
			&(sigset_t){ { UINT64_C(1) << (SIGUSR2 - 1) } }, NULL);
	timer_create(CLOCK_MONOTONIC, &event, &timer);
	timer_settime(timer, 0, &in, NULL);
	for (;;)
		sink++;
}

static NOINLINE void
bad_call(void (*volatile nowhere)(void))
{
	nowhere();
	sink++;
}

static void
on_fault(int number)
{
	sink = number;
	stop_here();
}

static NOINLINE void
faulting(void)
{
	signal(SIGSEGV, on_fault);
	bad_call(NULL);
	sink++;
}

static NOINLINE __attribute__((noreturn)) void
never_returns(void)
{
	for (;;)
		stop_here();
}

/* Its return address is that of the next function. */
static NOINLINE void
ends_in_a_call(void)
{
	volatile char p[1000];

	p[sink] = 1;
	sink = p[0];
	never_returns();
}

#if defined(__x86_64__)
/* Code without rules, as a JIT makes it: it has a frame pointer. */
static NOINLINE void
jit(void)
{
	/* push %rbp; mov %rsp,%rbp; call *%rdi; pop %rbp; ret */
	static const char code[] = "\x55\x48\x89\xe5\xff\xd7\x5d\xc3";
	char *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void (*call)(void (*)(void));

	if (p == MAP_FAILED)
		err(1, NULL);
	memcpy(p, code, sizeof(code));
	memcpy(&call, &p, sizeof(call));
	call(stop_here);
	sink++;
}

/* What returns from signals, without rules, as in C libraries but glibc. */
__asm__(".text\nown_restorer:\n\tmov $15, %rax\n\tsyscall\n");
void own_restorer(void);

static NOINLINE void
other_libc(void)
{
	/* Of the kernel: handler, flags, restorer, mask. */
	struct {
		void (*handler)(int);
		unsigned long flags;
		void (*restorer)(void);
		uint64_t mask;
	} action = { on_signal, SA_RESTORER, own_restorer, 0 };

	syscall(SYS_rt_sigaction, SIGRTMIN + 1, &action, NULL, 8);
	pthread_kill(pthread_self(), SIGRTMIN + 1);
	sink++;
}
#else
#define jit ends_in_a_call
#define other_libc ends_in_a_call
#endif

static void *
begin(void *arg)
{
	static void (*const ways[])(
	    void) = { sorting,        in_signal, interrupted, faulting,
		      ends_in_a_call, jit,       other_libc };
	const intptr_t way = (intptr_t)arg;

	if (way == 0)
		recurse(60);
	else if (way == 1)
		with_alloca(10);
	else if (way == 2)
		aligned(3);
	else
		ways[way - 3]();
	return NULL;
}

enum { WAYS = 10 };

static void
wait_for_tests(void)
{
	const sigset_t timer = { { UINT64_C(1) << (SIGUSR2 - 1) } };
	pthread_t thread;
	intptr_t i;

	/* The timer's signal is for the one thread that lets it in. */
	pthread_sigmask(SIG_BLOCK, &timer, NULL);
	pthread_barrier_init(&all_wait, NULL, WAYS + 1);
	for (i = 0; i < WAYS; i++)
		if (pthread_create(&thread, NULL, begin, (void *)i) != 0)
			err(1, NULL);
	pthread_barrier_wait(&all_wait);
	puts("ready");
	fflush(stdout);
	for (;;)
		pause();
}

static int
compare_bytes(const void *a, const void *b)
{
	return memcmp(a, b, 1);
}

static void
count_signal(int number)
{
	sink += number;
}

/* What the C library is made of: PLT, IFUNC, assembler, callbacks, vdso. */
static NOINLINE void
step_through(void)
{
	char p[] = "a short program", q[4096];
	struct timespec t;

	signal(SIGUSR1, count_signal);
	raise(SIGUSR1);
	qsort(p, sizeof(p) - 1, 1, compare_bytes);
	memset(q, 'x', sizeof(q));
	memcpy(q, p, sizeof(p));
	clock_gettime(CLOCK_MONOTONIC, &t);
	snprintf(q, sizeof(q), "%s %g %ld\n", p, sqrt(2.0 + sink),
		 (long)(t.tv_nsec & 1));
	sink = (int)strtol("42", NULL, 10);
	free(malloc(100000));
	sink += dlsym(RTLD_DEFAULT, "printf") != NULL;
}

int
main(int argc, char *argv[])
{
	if (argc == 2 && strcmp(argv[1], "wait") == 0)
		wait_for_tests();
	else if (argc == 2 && strcmp(argv[1], "step") == 0)
		step_through();
	else
		errx(2, "usage: stacks wait | step");
	return 0;
}
