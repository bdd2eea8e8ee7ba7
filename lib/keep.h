/* keep.h - calls that wait until it is known which of them are slow. */
#ifndef KEEP_H
#define KEEP_H

#include "calls.h"

struct kept {
	uint64_t begin, ns;
	int64_t tid;
	uint64_t waited; /* the longest wait, */
	uint32_t wait;   /* and its stack */
	uint32_t part;   /* the user's */
	uint64_t samples;
	uint64_t args; /* where in text they begin; NUL behind them */
	uint32_t n;    /* cells, behind those of the calls before it */
};

/* All zero is empty; release with keep_free(). */
struct keep {
	struct kept *call;
	size_t n;

	/* Below here is keep.c's own. */
	size_t cap;
	struct cell *cell;
	size_t ncells, cell_cap;
	struct buf text;
};

/* Copy a call, with what was sampled in it or without. */
struct kept *keep_add(struct keep *k, const struct call *c, bool with_cells);

/*
 * What was sampled in a call, for one call after the other; *at is 0 at first.
 * It is valid until the next keep_add(), and not to be freed.
 */
struct cells keep_cells(const struct keep *k, const struct kept *call,
			size_t *at);

/* The arguments of a call, as written. */
struct str keep_args(const struct keep *k, const struct kept *call);

/* About how many bytes they take. */
size_t keep_memory(const struct keep *k);

/* Into the order in which they began. */
void keep_sort(struct keep *k);

void keep_free(struct keep *k);

#endif
