/* watch.c - which processes to watch, and when. */
#include "watch.h"

#include "mem.h"
#include "target.h"
#include "tasks.h"

#include <dirent.h>
#include <err.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SECOND 1000000000

void
watch_pid(struct watched *w, int64_t pid)
{
	size_t i;

	for (i = 0; i < w->n; i++) {
		if (w->pid[i] == pid)
			return;
	}
	w->pid = mem_grow(w->pid, &w->cap, w->n + 1, sizeof(*w->pid));
	w->pid[w->n++] = pid;
}

void
watch_free(struct watched *w)
{
	free(w->pid);
}

static bool
has_name(uint64_t pid, const char *name)
{
	const size_t room = 15; /* for a name, in the kernel */
	struct str wanted = str_of(name);
	struct buf text = { 0 };
	char path[64];
	bool ok;

	if (wanted.len > room)
		wanted.len = room;
	snprintf(path, sizeof(path), "/proc/%" PRIu64 "/comm", pid);
	ok = target_file(&text, path) && text.len > 0 &&
	     str_eq((struct str){ text.p, text.len - 1 }, wanted);
	buf_free(&text);
	return ok;
}

bool
watch_named(struct watched *w, const char *name)
{
	const size_t before = w->n;
	DIR *d = opendir("/proc");
	struct dirent *e;
	uint64_t pid;

	if (d == NULL)
		return false;
	while ((e = readdir(d)) != NULL) {
		if (str_u64(str_of(e->d_name), &pid) &&
		    (pid_t)pid != getpid() && has_name(pid, name))
			watch_pid(w, (int64_t)pid);
	}
	closedir(d);
	return w->n > before;
}

static _Noreturn void
execute(char *argv[])
{
	execvp(argv[0], argv);
	warn("%s", argv[0]);
	_exit(127);
}

void
watch_start(struct watched *w, char *argv[])
{
	pid_t pid = fork();
	sigset_t none;

	if (pid < 0)
		err(2, "fork");
	if (pid == 0) {
		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		execute(argv);
	}
	w->child = pid;
	watch_pid(w, pid);
}

void
watch_become(char *argv[])
{
	/* What is not there, Yama, lets everybody look who is of the user. */
	prctl(PR_SET_PTRACER, (unsigned long)getppid(), 0, 0, 0);
	execute(argv);
}

/*
 * A stop of it that we asked for is none of our business here: leave it.  Who
 * let go of its threads may have waited for its end, too.
 */
bool
watch_has_ended(struct watched *w)
{
	siginfo_t info = { .si_pid = 0 };

	if (w->child == 0)
		return false;
	if (waitid(P_PID, (id_t)w->child, &info, WEXITED | WNOHANG | WNOWAIT) ==
		0 &&
	    (info.si_pid == 0 || info.si_code == CLD_TRAPPED ||
	     info.si_code == CLD_STOPPED))
		return false;
	waitpid((pid_t)w->child, NULL, WNOHANG);
	w->child = 0;
	return true;
}

/* When. */

struct pace {
	uint64_t asked, next, end;
	uint64_t interval, slowest; /* as looks are dear */
	double max_cpu;
	uint64_t used;  /* of a CPU, as of the last look */
	double average; /* use from one look to the next, ns */
	unsigned looks;
	bool looked; /* once at least */
	uint64_t random;
	sigset_t signals, stops;
	int stop; /* the one of these that came */
};

static bool
is_ignored(int sig)
{
	struct sigaction action;

	return sigaction(sig, NULL, &action) == 0 &&
	       action.sa_handler == SIG_IGN;
}

/*
 * What wakes us.  We must not be stopped while there are threads to let go.
 * What is ignored stays so, as with nohup(1), but those that end us: a shell
 * ignores SIGINT for what it starts in the background.
 */
static void
block_signals(struct pace *p)
{
	static const int wake[] = { SIGCHLD, SIGINT, SIGTERM },
			 other[] = { SIGHUP, SIGTSTP, SIGTTIN, SIGTTOU };
	size_t i;

	sigemptyset(&p->signals);
	sigemptyset(&p->stops);
	for (i = 0; i < sizeof(wake) / sizeof(*wake); i++)
		sigaddset(&p->signals, wake[i]);
	for (i = 0; i < sizeof(other) / sizeof(*other); i++) {
		if (is_ignored(other[i]))
			continue;
		sigaddset(&p->signals, other[i]);
		if (other[i] != SIGHUP)
			sigaddset(&p->stops, other[i]);
	}
	sigprocmask(SIG_BLOCK, &p->signals, NULL);
}

struct pace *
pace_new(double hz, uint64_t length, double max_cpu)
{
	struct pace *p = mem_zero(1, sizeof(*p));

	p->asked = p->interval = p->slowest = (uint64_t)(SECOND / hz);
	p->max_cpu = max_cpu;
	p->next = tasks_now();
	p->end = length > 0 ? p->next + length : UINT64_MAX;
	p->random = p->next | 1;
	block_signals(p);
	p->next += length > 0 && length <= p->interval ? length / 2 :
							 p->interval;
	/* Sleeps are to end when they should. */
	prctl(PR_SET_TIMERSLACK, 1);
	return p;
}

void
pace_stop(struct pace *p)
{
	raise(p->stop);
	sigprocmask(SIG_UNBLOCK, &p->stops, NULL);
	/* We were stopped, and go on. */
	sigprocmask(SIG_BLOCK, &p->stops, NULL);
}

void
pace_free(struct pace *p)
{
	sigprocmask(SIG_UNBLOCK, &p->stops, NULL);
	free(p);
}

/* From 0 to below 1, by Marsaglia's xorshift. */
static double
chance(struct pace *p)
{
	p->random ^= p->random << 13;
	p->random ^= p->random >> 7;
	p->random ^= p->random << 17;
	return (double)(p->random >> 11) / (double)(UINT64_C(1) << 53);
}

double
pace_slowest(const struct pace *p)
{
	return (double)SECOND / (double)p->slowest;
}

static uint64_t
cpu_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
}

/*
 * Look as often as is asked for, or less, by what the last ten or so looks
 * cost.  The first one opens files, and says nothing about those to come.
 */
static void
measure(struct pace *p)
{
	const uint64_t used = cpu_time();
	const double cost = (double)(used - p->used);
	double least;

	p->used = used;
	if (p->max_cpu == 0 || p->looks++ < 2)
		return;
	p->average = p->looks == 3 ? cost : 0.9 * p->average + 0.1 * cost;
	least = p->average / p->max_cpu;
	p->interval = (double)p->asked > least ? p->asked : (uint64_t)least;
	if (p->interval > p->slowest)
		p->slowest = p->interval;
}

/*
 * What is late would look when it is given a CPU, which others have given up
 * then: that is no time by chance.  A moment later is one.
 */
static void
put_off(struct pace *p)
{
	const double moment = 1000000;
	const uint64_t now = tasks_now();

	if (p->next < now)
		p->next = now + (uint64_t)(moment * chance(p));
}

enum pace_wake
pace_wait(struct pace *p)
{
	struct timespec rest;
	uint64_t now, then;
	int sig;

	put_off(p);
	then = p->next < p->end ? p->next : p->end;
	while ((now = tasks_now()) < then) {
		rest.tv_sec = (time_t)((then - now) / SECOND);
		rest.tv_nsec = (long)((then - now) % SECOND);
		sig = sigtimedwait(&p->signals, NULL, &rest);
		if (sig == SIGCHLD)
			return PACE_CHILD;
		p->stop = sig > 0 && sigismember(&p->stops, sig) ? sig : 0;
		if (sig > 0)
			return p->stop != 0 ? PACE_STOP : PACE_END;
	}
	/* There is one look at least, however late we were given a CPU. */
	if (now >= p->end && p->looked)
		return PACE_END;
	p->looked = true;
	measure(p);
	p->next += (uint64_t)((double)p->interval * (0.5 + chance(p)));
	return PACE_LOOK;
}
