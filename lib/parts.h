/* parts.h - a profile in parts: what was sampled in each. */
#ifndef PARTS_H
#define PARTS_H

#include "cells.h"
#include "foldout.h"
#include "intern.h"

struct part {
	struct buf name;
	uint32_t into;    /* the part that it is written as */
	uint64_t samples; /* in it */
	uint64_t calls;   /* of which it is made */
	double ns;        /* that these took */
	double weight;    /* of its counts */
	struct cells cells;
};

/* All zero is empty; release with parts_free(). */
struct parts {
	struct part *part;
	size_t n;

	/* Below here is parts.c's own. */
	size_t cap;
};

/* A new part, and its number; the name is copied. */
uint32_t parts_new(struct parts *p, struct str name);

/*
 * Add a stack; the caller counts samples.  Ends the program with status 2
 * where a sum exceeds 64 bits.
 */
void parts_add(struct parts *p, uint32_t part, uint32_t stack,
	       struct count count);
void parts_add_cells(struct parts *p, uint32_t part, const struct cells *c);

/* Let what is and will be in a part be written as another one. */
void parts_join(struct parts *p, uint32_t part, uint32_t into);

/* What each sample of a part adds; 0 if they differ, or there are none. */
uint64_t parts_quantum(const struct parts *p, uint32_t part);

/*
 * Write sorted lines: the stacks of all parts, each behind a frame with the
 * name of its part; of one part, without that; or of two, side by side.
 */
void parts_write(const struct parts *p, const struct intern *stacks, FILE *out);
void parts_write_one(const struct parts *p, const struct intern *stacks,
		     uint32_t part, FILE *out);
void parts_write_two(const struct parts *p, const struct intern *stacks,
		     uint32_t before, uint32_t after, FILE *out);

void parts_free(struct parts *p);

#endif
