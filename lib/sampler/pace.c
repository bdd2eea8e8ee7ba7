/* pace.c - the sampling clock: when the next round is due. */
#include "sampler/pace.h"

#include "base/mem.h"
#include "os/clock.h"
#include "sampler/tracer_thread.h"

#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

#define SECOND 1000000000

/* Times in ns, of CLOCK_MONOTONIC. */
struct pace {
	uint64_t begin, next, end;
	uint64_t events;    /* rounds that were due, and not dropped */
	uint64_t requested; /* interval of the rate that was requested */
	uint64_t interval, longest_interval;
	double max_cpu;
	uint64_t cpu_time;   /* CPU time we had used at the last round */
	double average_cost; /* CPU time of a round */
	unsigned rounds;     /* measured, with max_cpu */
	bool had_round;
	uint64_t random;
	sigset_t signals, stop_signals;
	int stop_signal; /* the one that came last */
};

static bool
is_ignored(int sig)
{
	struct sigaction action;

	return sigaction(sig, NULL, &action) == 0 &&
	       action.sa_handler == SIG_IGN;
}

/*
 * Job control must not stop us while threads are stopped by us.  Ignored
 * signals stay ignored, as with nohup(1), except for SIGINT and SIGTERM: a
 * shell ignores SIGINT for commands that it starts in the background.
 */
static void
block_signals(struct pace *p)
{
	static const int always[] = { TRACER_THREAD_NEWS, SIGINT, SIGTERM },
			 unless_ignored[] = { SIGHUP, SIGTSTP, SIGTTIN,
					      SIGTTOU };
	size_t i;
	int sig;

	sigemptyset(&p->signals);
	sigemptyset(&p->stop_signals);
	for (i = 0; i < sizeof(always) / sizeof(*always); i++)
		sigaddset(&p->signals, always[i]);
	for (i = 0; i < sizeof(unless_ignored) / sizeof(*unless_ignored); i++) {
		sig = unless_ignored[i];
		if (is_ignored(sig))
			continue;
		sigaddset(&p->signals, sig);
		if (sig != SIGHUP)
			sigaddset(&p->stop_signals, sig);
	}
	sigprocmask(SIG_BLOCK, &p->signals, NULL);
}

struct pace *
pace_new(double hz, uint64_t length, double max_cpu)
{
	struct pace *p = mem_zero(1, sizeof(*p));

	p->requested = (uint64_t)(SECOND / hz);
	p->interval = p->longest_interval = p->requested;
	p->max_cpu = max_cpu;
	p->begin = p->next = clock_ns(CLOCK_MONOTONIC);
	p->end = length > 0 ? p->next + length : UINT64_MAX;
	p->random = p->next | 1;
	block_signals(p);
	p->next += length > 0 && length <= p->interval ? length / 2 :
							 p->interval;
	/* The default slack would end sleeps up to 50 us late. */
	prctl(PR_SET_TIMERSLACK, 1);
	return p;
}

void
pace_stop(struct pace *p)
{
	raise(p->stop_signal);
	/* The signal is delivered here; we go on after SIGCONT. */
	sigprocmask(SIG_UNBLOCK, &p->stop_signals, NULL);
	sigprocmask(SIG_BLOCK, &p->stop_signals, NULL);
}

void
pace_free(struct pace *p)
{
	sigprocmask(SIG_UNBLOCK, &p->stop_signals, NULL);
	free(p);
}

/* A random number from 0 to below 1: Marsaglia's xorshift. */
static double
random_fraction(struct pace *p)
{
	p->random ^= p->random << 13;
	p->random ^= p->random >> 7;
	p->random ^= p->random << 17;
	return (double)(p->random >> 11) / (double)(UINT64_C(1) << 53);
}

double
pace_lowest_rate(const struct pace *p)
{
	return (double)SECOND / (double)p->longest_interval;
}

double
pace_mean_rate(const struct pace *p)
{
	return (double)p->events * SECOND /
	       (double)(clock_ns(CLOCK_MONOTONIC) - p->begin + 1);
}

/*
 * Adjust the interval to what the last ten or so rounds cost.  The first round
 * opens files, so its cost does not count.
 */
static void
adjust_interval(struct pace *p)
{
	const uint64_t cpu_time = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	const double cost = (double)(cpu_time - p->cpu_time);
	double shortest;

	p->cpu_time = cpu_time;
	if (p->max_cpu == 0 || p->rounds++ < 2)
		return;
	p->average_cost = p->rounds == 3 ? cost :
					   0.9 * p->average_cost + 0.1 * cost;
	shortest = p->average_cost / p->max_cpu;
	p->interval = (double)p->requested > shortest ? p->requested :
							(uint64_t)shortest;
	if (p->interval > p->longest_interval)
		p->longest_interval = p->interval;
}

/*
 * We are late because other threads had the CPU, and we get it when they block:
 * sampling at that moment would be biased.  A random delay is not.
 */
static void
delay_if_late(struct pace *p)
{
	const double longest_delay = 1000000;
	const uint64_t now = clock_ns(CLOCK_MONOTONIC);

	if (p->next < now)
		p->next = now + (uint64_t)(longest_delay * random_fraction(p));
}

enum pace_event
pace_wait(struct pace *p)
{
	struct timespec rest;
	uint64_t now, then;
	int sig;

	delay_if_late(p);
	then = p->next < p->end ? p->next : p->end;
	while ((now = clock_ns(CLOCK_MONOTONIC)) < then) {
		rest.tv_sec = (time_t)((then - now) / SECOND);
		rest.tv_nsec = (long)((then - now) % SECOND);
		sig = sigtimedwait(&p->signals, NULL, &rest);
		if (sig == TRACER_THREAD_NEWS)
			return PACE_NEWS;
		p->stop_signal = sig > 0 && sigismember(&p->stop_signals, sig) ?
				     sig :
				     0;
		if (sig > 0)
			return p->stop_signal != 0 ? PACE_STOP : PACE_END;
	}
	/* There is at least one round, however late we get a CPU. */
	if (now >= p->end && p->had_round)
		return PACE_END;
	p->had_round = true;
	p->events++;
	adjust_interval(p);
	p->next += (uint64_t)((double)p->interval * (0.5 + random_fraction(p)));
	return PACE_ROUND;
}
