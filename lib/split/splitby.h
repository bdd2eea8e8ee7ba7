/* splitby.h - splits by time, CPU, thread, frame or argument of a call. */
#ifndef SPLITBY_H
#define SPLITBY_H

#include "base/regex.h"
#include "split/partition.h"
#include "stream/samples.h"

/* All zero at the start; release with splitby_free(). */
struct splitby {
	enum splitby_key {
		SPLITBY_NOTHING,
		SPLITBY_TIME,  /* intervals of equal length */
		SPLITBY_CPU,   /* the CPU of a sample */
		SPLITBY_TID,   /* the thread of a sample */
		SPLITBY_FRAME, /* the first frame that matches */
		SPLITBY_ARG /* an argument that the probe of a call fetched */
	} key;

	/* Private to splitby.c. */
	uint64_t step; /* length of an interval, ns */
	struct regex *frame;
	struct str arg;
	struct count *bound; /* of bands of arguments, rising */
	size_t nbounds, bound_cap;
	struct splitby_number *numbers; /* parts by number */
	struct intern *values;          /* parts by text */
	uint32_t *value_part;           /* by value, 0 for none */
	uint32_t *stack_part;           /* by stack, 0 for none */
	size_t value_cap, stack_cap;
	struct buf text;
};

/*
 * Parse "time:10s", "cpu", "tid", "frame:RE", "arg:NAME" or
 * "arg:NAME:BOUND,...".  Return false and append the expected syntax to why if
 * s is none of these.  b borrows s.
 */
bool splitby_parse(struct splitby *b, struct str s, struct buf *why);

/* The part of a sample, new if necessary; not for SPLITBY_ARG. */
uint32_t splitby_sample(struct splitby *b, struct partition *p,
			const struct samples *s,
			const struct sample_line *sample);

/* The part of a call by its arguments, encoded as in folded(5). */
uint32_t splitby_args(struct splitby *b, struct partition *p, struct str args);

/* All is read: name the parts whose names depend on the others. */
void splitby_name(const struct splitby *b, struct partition *p);

/* Release all memory; b is all zero then. */
void splitby_free(struct splitby *b);

#endif
