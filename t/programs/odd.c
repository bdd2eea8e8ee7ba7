/*
 * odd.c - processes that are hard to look at; prints "ready" when it is one.
 *
 *	usage: odd churn	threads that live for 20 ms, one after another
 *	       odd leader	the first thread has exited, another waits
 *	       odd exec		executes itself at SIGUSR1, to wait
 *	       odd heir		its second thread runs, and executes itself
 *	       odd reexec N	executes itself every 4 ms, so many times, by
 *				its first thread and another in turn, as
 *				others run
 *	       odd vfork	waits for children of vfork(2), each for 0.3 s
 *	       odd signal	waits in a handler, on a stack of its own
 *	       odd traced	traces a child that runs, and one that waits;
 *				prints their numbers
 *	       odd turns	runs and waits in turns of 20 us
 *	       odd clock	asks for the time, which is in the vdso
 *	       odd name		its second thread is named "late" by SIGUSR1
 *	       odd wait		waits
 *
 * All end after a minute, or when they are killed.
 */
#include <err.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <time.h>
#include <unistd.h>

#define HERE __attribute__((noinline))

static volatile int sink;

static void
ready(void)
{
	puts("ready");
	fflush(stdout);
}

static sigset_t usr1;

static void
block_usr1(void)
{
	sigemptyset(&usr1);
	sigaddset(&usr1, SIGUSR1);
	sigprocmask(SIG_BLOCK, &usr1, NULL);
}

static void
await_usr1(void)
{
	int sig;

	ready();
	sigwait(&usr1, &sig);
}

static HERE void
wait_here(int ms)
{
	poll(NULL, 0, ms);
	sink++;
}

static HERE void *
short_life(void *arg)
{
	wait_here(20);
	sink++;
	return arg;
}

static HERE void *
long_life(void *arg)
{
	ready();
	wait_here(60000);
	sink++;
	return arg;
}

static void
churn(void)
{
	pthread_t thread;
	int i;

	ready();
	for (i = 0; i < 3000; i++) {
		if (pthread_create(&thread, NULL, short_life, NULL) != 0)
			errx(2, "pthread_create");
		pthread_join(thread, NULL);
	}
}

static void
leader(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, long_life, NULL) != 0)
		errx(2, "pthread_create");
	pthread_exit(NULL);
}

static HERE void *
execute_here(void *self)
{
	struct timespec t = { 0, 0 };

	while (t.tv_sec == 0 && t.tv_nsec < 200000000)
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	execl(self, "again", "wait", (char *)NULL);
	err(2, "%s", (char *)self);
}

static void
heir(char *self)
{
	pthread_t thread;

	ready();
	if (pthread_create(&thread, NULL, execute_here, self) != 0)
		errx(2, "pthread_create");
	wait_here(60000);
}

static void *
run_thread(void *arg)
{
	for (;;)
		sink++;
	return arg;
}

static char **again; /* the arguments */

static void *
execute_again(void *arg)
{
	wait_here(4);
	execv(again[0], again);
	err(2, "%s", again[0]);
	return arg;
}

static void
reexec(char *argv[])
{
	const int left = argv[2] == NULL ? 0 : atoi(argv[2]);
	static char number[20]; /* outlives the first thread */
	pthread_t thread;
	int i;

	/* LeakSanitizer, at the end, would trace it as well. */
	if (left <= 0)
		_exit(0);
	snprintf(number, sizeof(number), "%d", left - 1);
	argv[2] = number;
	again = argv;
	for (i = 0; i < 4; i++) {
		if (pthread_create(&thread, NULL, run_thread, NULL) != 0)
			errx(2, "pthread_create");
	}
	if (left % 2 == 0)
		execute_again(NULL);
	if (pthread_create(&thread, NULL, execute_again, NULL) != 0)
		errx(2, "pthread_create");
	pthread_exit(NULL);
}

static void *
wait_on(void *arg)
{
	wait_here(60000);
	return arg;
}

static void
name_late(void)
{
	pthread_t thread;

	block_usr1();
	if (pthread_create(&thread, NULL, wait_on, NULL) != 0)
		errx(2, "pthread_create");
	pthread_setname_np(pthread_self(), "first");
	await_usr1();
	pthread_setname_np(thread, "late");
	wait_here(60000);
}

static HERE void
vfork_here(char *self)
{
	pid_t pid = vfork();

	if (pid == 0) {
		poll(NULL, 0, 300);
		_exit(0);
	}
	if (pid < 0)
		err(2, "%s", self);
	sink++;
}

static HERE void
handler_here(int sig)
{
	ready();
	wait_here(60000);
	sink = sig;
}

static HERE void
raise_here(void)
{
	raise(SIGUSR1);
	sink++;
}

static void
on_signal_stack(void)
{
	static char stack[65536];
	const stack_t own = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction action = { .sa_flags = SA_ONSTACK };

	action.sa_handler = handler_here;
	sigaltstack(&own, NULL);
	sigaction(SIGUSR1, &action, NULL);
	raise_here();
}

static HERE void
run_here(void)
{
	for (;;)
		sink++;
}

static void
trace_child(void (*child)(void))
{
	pid_t pid = fork();

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		child();
	}
	if (pid < 0 || ptrace(PTRACE_SEIZE, pid, NULL, NULL) != 0)
		err(2, "ptrace");
	printf("%d\n", (int)pid);
}

static void
wait_long(void)
{
	wait_here(60000);
	_exit(0);
}

static HERE void
clock_here(void)
{
	struct timespec t;

	for (;;) {
		clock_gettime(CLOCK_MONOTONIC, &t);
		sink++;
	}
}

/* Run and wait in turns that are shorter than a look at the thread. */
static HERE void
turns_here(void)
{
	const struct timespec t = { 0, 20000 };
	int i;

	for (;;) {
		nanosleep(&t, NULL);
		for (i = 0; i < 20000; i++)
			sink++;
	}
}

int
main(int argc, char *argv[])
{
	const char *what = argc > 1 ? argv[1] : "";

	alarm(60);
	if (strcmp(what, "churn") == 0) {
		churn();
	} else if (strcmp(what, "leader") == 0) {
		leader();
	} else if (strcmp(what, "exec") == 0) {
		block_usr1();
		await_usr1();
		execl(argv[0], "again", "wait", (char *)NULL);
		err(2, "%s", argv[0]);
	} else if (strcmp(what, "heir") == 0) {
		heir(argv[0]);
	} else if (strcmp(what, "reexec") == 0) {
		reexec(argv);
	} else if (strcmp(what, "vfork") == 0) {
		ready();
		for (;;)
			vfork_here(argv[0]);
	} else if (strcmp(what, "signal") == 0) {
		on_signal_stack();
	} else if (strcmp(what, "traced") == 0) {
		trace_child(run_here);
		trace_child(wait_long);
		ready();
		wait_here(60000);
	} else if (strcmp(what, "clock") == 0) {
		ready();
		clock_here();
	} else if (strcmp(what, "turns") == 0) {
		ready();
		turns_here();
	} else if (strcmp(what, "name") == 0) {
		name_late();
	} else if (strcmp(what, "wait") == 0) {
		ready();
		wait_here(60000);
	} else {
		errx(2, "usage: odd what");
	}
	return 0;
}
