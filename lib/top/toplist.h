/* toplist.h - the functions or stacks with the most weight, by class. */
#ifndef TOPLIST_H
#define TOPLIST_H

#include "top/stable_order.h"
#include "top/thread_activity.h"

struct toprow {
	enum wait_class class;
	uint32_t id; /* a function, or the frame where a stack ends */
	double self, total;
};

/* All zero at the start; release with toplist_free(). */
struct toplist {
	struct toprow *row; /* class by class */
	size_t n;

	/* Private to toplist.c. */
	size_t cap;
	struct stable_order order[WAIT_CLASSES];
};

/* Rows of each class that a cut list has, if there is room. */
#define TOPLIST_MIN_ROWS 2

struct toplist_query {
	bool stacks;        /* else functions */
	bool by_total;      /* sort functions by total, else by self */
	double per_sample;  /* weight of a sample */
	const bool *wanted; /* by function or frame, or NULL for all */
};

/*
 * Fill the list with the rows of the shown classes.  The first thousand rows of
 * each class keep their order as stable_order.h says.
 */
void toplist_fill(struct toplist *l, const struct thread_activity *a,
		  const struct toplist_query *q);

/*
 * Cut the list to a number of rows: those with the most weight, but some of
 * each class.  class_rows receives the number of rows of each class before
 * that.
 */
void toplist_fit(struct toplist *l, size_t rows, bool by_total,
		 size_t class_rows[WAIT_CLASSES]);

/* Forget the order, as another one is wanted. */
void toplist_forget(struct toplist *l);

void toplist_free(struct toplist *l);

#endif
