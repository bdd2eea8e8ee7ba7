/* replicate.h - one run: a file, or one column of a two-count file. */
#ifndef REPLICATE_H
#define REPLICATE_H

#include "base/count.h"
#include "folded/stacks.h"

enum side { BEFORE, AFTER };

/* Release with replicate_free(). */
struct replicate {
	char *name; /* of the file, for messages */
	enum side side;
	struct meta meta; /* merged from all profiles in the file */
	uint64_t gcd;     /* of the nonzero counts */
	bool whole;       /* no count has decimals */
	bool sampled;     /* each weight is one sample of a stream */

	/* Floating point, for statistics only: */
	double total;   /* sum of the weights */
	double squares; /* sum of their squares */
	struct weight *weight;
	size_t n, cap;
};

/* The count of a stack. */
struct weight {
	uint32_t frame; /* where the stack ends; may occur again */
	uint64_t time;  /* ns, 0 if unknown */
	double n;
};

/* Start an empty run; copies the name. */
void replicate_init(struct replicate *run, const char *name, enum side side);

/* Add the count of a stack; seen has its time, or is zero. */
void replicate_add(struct replicate *run, uint32_t frame,
		   struct stacks_seen seen, struct count count);

/*
 * Add the weights of another run, but not its metadata.  Then each frame
 * occurs once.
 */
void replicate_join(struct replicate *run, const struct replicate *other);

void replicate_free(struct replicate *run);

#endif
