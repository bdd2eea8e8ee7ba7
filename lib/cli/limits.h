/* limits.h - resource limits of a command, against hostile input. */
#ifndef LIMITS_H
#define LIMITS_H

#include <stdbool.h>
#include <stdint.h>

/* The limits of a command; 0 is none. */
struct limits {
	uint64_t line;   /* bytes in a line of an input */
	uint64_t ratio;  /* bytes out of a decompressor for each byte in */
	uint64_t memory; /* bytes */
	uint64_t time;   /* seconds of CPU */
};

/* The default limits. */
struct limits limits_default(void);

/*
 * Change limits by a list such as "line=64M,memory=4G,time=60"; a value of
 * "none" removes a limit.  False if the list is not understood.
 */
bool limits_parse(struct limits *l, const char *list);

/*
 * From now on, end the program with status 2 and a message when it exceeds a
 * limit.  Decompressors and other children inherit those on memory and time.
 */
void limits_set(const struct limits *l);

/*
 * Undo the limits on memory and time in a child that is about to run the user's
 * own program: it reads no hostile input.
 */
void limits_lift(void);

#endif
