/*
 * odd.c - processes that are hard to look at; prints "ready" when it is one.
 *
 *	usage: odd churn	threads that live for 20 ms, one after another
 *	       odd leader	the first thread has exited, another waits
 *	       odd exec		executes itself after 1.5 s, to wait
 *	       odd heir		its second thread runs, and executes itself
 *	       odd vfork	waits for children of vfork(2), each for 0.3 s
 *	       odd signal	waits in a handler, on a stack of its own
 *	       odd traced	traces a child that runs, and one that waits;
 *				prints their numbers
 *	       odd clock	asks for the time, which is in the vdso
 *	       odd wait		waits
 *
 * All end after a minute, or when they are killed.
 */
#include <err.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
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
		ready();
		wait_here(1500);
		execl(argv[0], "again", "wait", (char *)NULL);
		err(2, "%s", argv[0]);
	} else if (strcmp(what, "heir") == 0) {
		heir(argv[0]);
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
	} else if (strcmp(what, "wait") == 0) {
		ready();
		wait_here(60000);
	} else {
		errx(2, "usage: odd what");
	}
	return 0;
}
