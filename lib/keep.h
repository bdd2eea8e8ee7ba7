/* keep.h - calls that wait until it is known which of them are slow. */
#ifndef KEEP_H
#define KEEP_H

#include "calls.h"

struct kept {
	uint64_t ns, samples;
	uint32_t n;    /* cells, behind those of the calls before it */
	uint32_t part; /* the user's */
};

/* What there is to say of a call. */
struct kept_detail {
	uint64_t begin;
	int64_t tid;
	uint64_t waited; /* the longest wait, */
	uint32_t wait;   /* and its stack */
	uint32_t stack;  /* where it was entered */
	size_t call;     /* its number */
	size_t args;     /* where in text they begin; NUL behind them */
};

/* All zero but for the first field at first; release with keep_free(). */
struct keep {
	bool detailed; /* calls have details */
	struct kept *call;
	struct kept_detail *detail; /* of each call */
	size_t n;

	/* Below here is keep.c's own. */
	size_t cap, detail_cap;
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
struct str keep_args(const struct keep *k, const struct kept_detail *d);

/* About how many bytes they take. */
size_t keep_memory(const struct keep *k);

/* Bring the details into the order in which calls began. */
void keep_sort(struct keep *k);

void keep_free(struct keep *k);

#endif
