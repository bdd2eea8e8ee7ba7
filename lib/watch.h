/* watch.h - which processes to watch, and when. */
#ifndef WATCH_H
#define WATCH_H

#include "buf.h"

/* All zero is empty; release with watch_free(). */
struct watched {
	int64_t *pid;
	size_t n, cap;
	int64_t child; /* the one that we started, 0 if there is none */
};

/* Each is watched once, however often it is told. */
void watch_pid(struct watched *w, int64_t pid);

/* All processes of a name but our own; false if there are none. */
bool watch_named(struct watched *w, const char *name);

/* Start a program, which ends with 127 if it cannot be executed. */
void watch_start(struct watched *w, char *argv[]);

/*
 * Be that program instead, at which the process that started us may look, and
 * what it starts, where Yama would let only those look that started it.
 */
_Noreturn void watch_become(char *argv[]);

void watch_free(struct watched *w);

/* When to look, with all that wakes us blocked as signals. */
struct pace;

/*
 * So many times a second, for so many ns; 0: without an end.  Less often,
 * where more of a CPU than max_cpu would be used for it; 0: any is fine.
 */
struct pace *pace_new(double hz, uint64_t length, double max_cpu);

/* The fewest looks a second that there were by that. */
double pace_slowest(const struct pace *p);

/* Signals of job control stop us at once from then on. */
void pace_free(struct pace *p);

enum pace_wake {
	PACE_LOOK,
	PACE_CHILD, /* SIGCHLD came; then call again */
	PACE_STOP,  /* job control is to stop us: pace_stop() */
	PACE_END    /* of the time, or by SIGINT, SIGTERM or SIGHUP */
};

/*
 * Sleep until the next look: half to one and a half intervals from the last
 * one, by chance, so that it is not in step with what the target does.  A
 * look that is late is put off for a moment, by chance, and not made up for.
 */
enum pace_wake pace_wait(struct pace *p);

/* Be stopped, which ends when the signal to go on comes. */
void pace_stop(struct pace *p);

/* Whether the child has ended. */
bool watch_has_ended(struct watched *w);

#endif
