/* toplist.h - the functions or the stacks that matter most, by class. */
#ifndef TOPLIST_H
#define TOPLIST_H

#include "activity.h"
#include "steady.h"

struct toprow {
	enum wait_class class;
	uint32_t what; /* a function, or the frame in which a stack ends */
	double self, total;
};

/* All zero at the start; release with toplist_free(). */
struct toplist {
	struct toprow *row; /* class by class */
	size_t n;

	/* Below here is toplist.c's own. */
	size_t cap;
	struct steady order[WAIT_CLASSES];
};

struct toplist_query {
	bool stacks;       /* else functions */
	bool by_total;     /* functions are ordered by what is below them too */
	double per_sample; /* weight of a sample */

	/*
	 * Which functions, or which frames' stacks, are wanted; NULL for all.
	 */
	const bool *wanted;
};

/*
 * The rows of the classes that a shows.  The order of the first thousand of
 * each is that of the last time where what is between them may be noise.
 */
void toplist_fill(struct toplist *l, const struct activity *a,
		  const struct toplist_query *q);

/*
 * Keep so many rows: those with the most weight, but some of each class; and
 * how many rows of each class there were is in had.
 */
void toplist_fit(struct toplist *l, size_t rows, bool by_total,
		 size_t had[WAIT_CLASSES]);

/* Another order is asked for. */
void toplist_forget(struct toplist *l);

void toplist_free(struct toplist *l);

#endif
