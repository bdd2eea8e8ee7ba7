/* run.h - one profile of a side: a file, or one column of a file with two. */
#ifndef RUN_H
#define RUN_H

#include "count.h"
#include "meta.h"

enum side { BEFORE, AFTER };

/* Release with run_free(). */
struct run {
	char *name; /* of the file, for messages */
	enum side side;
	struct meta meta; /* of all its profiles, merged */
	uint64_t gcd;     /* of the counts that are not zero */
	bool whole;       /* no count has decimals */

	double total; /* of its weights */

	/* What its lines say, for statistics only: floating point. */
	struct weight *weight;
	size_t n, cap;
};

struct weight {
	uint32_t frame;  /* in which a stack ends; may come again */
	uint32_t second; /* when it was seen, 0 if unknown */
	double n;
};

/* Begin one without lines; the name is copied. */
void run_init(struct run *r, const char *name, enum side side);

void run_add(struct run *r, uint32_t frame, uint32_t second, struct count c);

/* Add all that another one has, but for its metadata, each frame once. */
void run_join(struct run *r, const struct run *other);

void run_free(struct run *r);

#endif
