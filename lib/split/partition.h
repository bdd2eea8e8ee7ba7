/* partition.h - a profile in named parts. */
#ifndef PARTITION_H
#define PARTITION_H

#include "base/intern.h"
#include "folded/foldout.h"
#include "split/stack_counts.h"

struct profile_part {
	struct buf name;
	uint32_t target; /* the part to write it as; by default itself */
	uint64_t samples;
	uint64_t calls;
	double ns;     /* total latency of the calls */
	double weight; /* sum of the counts */
	struct stack_counts counts;
};

/* All zero is empty; release with partition_free(). */
struct partition {
	struct profile_part *part;
	size_t n;

	/* Private to partition.c. */
	size_t cap;
};

/* Add a part and return its number; copies the name. */
uint32_t partition_new(struct partition *p, struct str name);

/*
 * Add a stack to a part, but do not change its number of samples.  Ends the
 * program with status 2 if a sum exceeds 64 bits.
 */
void partition_add(struct partition *p, uint32_t part, uint32_t stack,
		   struct count count);

/* Add stacks and their samples to a part, with the same error. */
void partition_add_counts(struct partition *p, uint32_t part,
			  const struct stack_counts *c);

/*
 * Write a part as the target.  Adds its statistics to those of the target; call
 * it once per part.
 */
void partition_join(struct partition *p, uint32_t part, uint32_t target);

/* The count per sample of a part, or 0 if it varies or there are no samples. */
uint64_t partition_quantum(const struct partition *p, uint32_t part);

/* Write all parts, sorted; the name of its part is the root of each stack. */
void partition_write(const struct partition *p, const struct intern *stacks,
		     FILE *out);

/* Write one part, sorted. */
void partition_write_one(const struct partition *p, const struct intern *stacks,
			 uint32_t part, FILE *out);

/* Write two parts, sorted, with two counts a line. */
void partition_write_two(const struct partition *p, const struct intern *stacks,
			 uint32_t before, uint32_t after, FILE *out);

/* Release all memory; p is empty then. */
void partition_free(struct partition *p);

#endif
