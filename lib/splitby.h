/* splitby.h - parts by what a sample, or a call, says of itself. */
#ifndef SPLITBY_H
#define SPLITBY_H

#include "parts.h"
#include "regex.h"
#include "samples.h"

/* All zero at the start; release with splitby_free(). */
struct splitby {
	enum splitby_what {
		SPLITBY_NOTHING,
		SPLITBY_TIME,  /* pieces of it */
		SPLITBY_CPU,   /* where it ran */
		SPLITBY_TID,   /* its thread */
		SPLITBY_FRAME, /* the first frame that matches */
		SPLITBY_ARG    /* what a probe of its call fetched */
	} what;

	/* Below here is splitby.c's own. */
	uint64_t step; /* ns */
	struct regex *frame;
	struct str arg;
	struct count *bound; /* of bands of its values, rising */
	size_t nbounds, bound_cap;
	struct map numbers;    /* their parts */
	struct intern *values; /* or texts, with parts by their numbers */
	uint32_t *value_part;  /* 0 if not yet made */
	uint32_t *stack_part;  /* by number of the stack, 0 if not looked at */
	size_t value_cap, stack_cap;
	uint64_t *piece; /* of time, by part */
	size_t npieces, piece_cap;
	struct buf text;
};

/*
 * Read "time:10s", "cpu", "tid", "frame:RE", "arg:NAME" or
 * "arg:NAME:BOUND,...", which lives on; else false, with a reason in why.
 */
bool splitby_parse(struct splitby *b, struct str s, struct buf *why);

/* The part of a sample, not by arguments; made if there is none. */
uint32_t splitby_sample(struct splitby *b, struct parts *p,
			const struct samples *s,
			const struct sample_line *sample);

/* The part of a call with such arguments, as written; folded(5). */
uint32_t splitby_args(struct splitby *b, struct parts *p, struct str args);

/* Name what can be named only when all is read. */
void splitby_name(const struct splitby *b, struct parts *p);

void splitby_free(struct splitby *b);

#endif
