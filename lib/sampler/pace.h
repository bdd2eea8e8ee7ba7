/* pace.h - the sampling clock: when the next round is due. */
#ifndef PACE_H
#define PACE_H

#include <stdint.h>

struct pace;

/*
 * Sample hz times a second for length ns; 0: without an end.  The interval
 * grows where sampling would use more than max_cpu of one CPU; 0: any is fine.
 *
 * Blocks the signals that pace_wait() reports: TRACER_THREAD_NEWS, and those
 * that end or stop the program.
 */
struct pace *pace_new(double hz, uint64_t length, double max_cpu);

/* The lowest rate so far, in Hz: below hz where max_cpu made it so. */
double pace_lowest_rate(const struct pace *p);

/* Rounds a second so far, in Hz: fewer than hz where there was no time. */
double pace_mean_rate(const struct pace *p);

/* Unblocks the signals of job control, which stop the program as usual. */
void pace_free(struct pace *p);

enum pace_event {
	PACE_ROUND, /* sample now */
	PACE_NEWS,  /* TRACER_THREAD_NEWS came; call pace_wait() again */
	PACE_STOP,  /* job control wants to stop us: call pace_stop() */
	PACE_END    /* length is over, or SIGINT, SIGTERM or SIGHUP came */
};

/*
 * Sleep until the next round.  It comes 0.5 to 1.5 intervals after the last
 * one, at random, so that sampling does not run in step with the target.  A
 * round that is late is delayed by up to another millisecond, at random; the
 * rounds it has missed are dropped.
 */
enum pace_event pace_wait(struct pace *p);

/* Stop this process; returns after SIGCONT. */
void pace_stop(struct pace *p);

#endif
