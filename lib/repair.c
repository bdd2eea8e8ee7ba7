/* repair.c - truncated stacks, put upon the callers that they lack. */
#include "repair.h"

#include "mem.h"

#include <stdlib.h>

struct repair {
	struct fold *broken; /* counts: weight, samples */
	size_t nroot;        /* of all of them */
	const struct intern *names;

	/* The whole stacks, sorted: by roots, then from the leaf on. */
	struct fold_stack *whole;
	size_t n;
};

struct repair *
repair_new(void)
{
	struct repair *r = mem_zero(1, sizeof(*r));

	r->broken = fold_new(2);
	return r;
}

void
repair_free(struct repair *r)
{
	if (r == NULL)
		return;
	fold_free(r->broken);
	free(r->whole);
	free(r);
}

bool
repair_add(struct repair *r, const uint32_t *id, size_t n, size_t nroot,
	   struct count count)
{
	const struct count both[2] = { count, count_of(1) };

	if (n < nroot + 2)
		return false;
	if (fold_size(r->broken) == 0)
		r->nroot = nroot;
	if (nroot != r->nroot)
		return false;
	fold_add(r->broken, id, n, both);
	return true;
}

/*
 * Compare two stacks by their roots, nroot frames, and then from the leaf on,
 * by max frames at most; what ends before that is less.
 */
static int
compare(const struct fold_stack *a, const struct fold_stack *b, size_t nroot,
	size_t max)
{
	size_t i;

	for (i = 0; i < nroot; i++)
		if (a->id[i] != b->id[i])
			return a->id[i] < b->id[i] ? -1 : 1;
	for (i = 1; i <= max; i++) {
		if (nroot + i > a->n || nroot + i > b->n)
			return (a->n > b->n) - (a->n < b->n);
		if (a->id[a->n - i] != b->id[b->n - i])
			return a->id[a->n - i] < b->id[b->n - i] ? -1 : 1;
	}
	return 0;
}

static int
by_frames(const void *a, const void *b, void *nroot)
{
	return compare(a, b, *(const size_t *)nroot, SIZE_MAX);
}

static void
collect(struct repair *r, struct fold *whole)
{
	struct fold_stack s;
	size_t cap = 0, at = 0;

	while (fold_next(whole, &at, &s)) {
		if (s.n <= r->nroot)
			continue;
		r->whole = mem_grow(r->whole, &cap, r->n + 1, sizeof(s));
		r->whole[r->n++] = s;
	}
	if (r->n > 0)
		qsort_r(r->whole, r->n, sizeof(s), by_frames, &r->nroot);
}

/* The only whole stack that ends in the frames of a broken one, or NULL. */
static const struct fold_stack *
find(const struct repair *r, const struct fold_stack *broken)
{
	const size_t known = broken->n - r->nroot - 1;
	const struct str outermost = intern_name(r->names,
						 broken->id[r->nroot + 1]);
	size_t low = 0, high = r->n, mid;

	/* A frame without a name may be anything: "[libc.so.6]". */
	if (str_starts(outermost, STR("[")))
		return NULL;
	while (low < high) {
		mid = low + (high - low) / 2;
		if (compare(&r->whole[mid], broken, r->nroot, known) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == r->n ||
	    compare(&r->whole[low], broken, r->nroot, known) != 0)
		return NULL;
	if (low + 1 < r->n &&
	    compare(&r->whole[low + 1], broken, r->nroot, known) == 0)
		return NULL;
	return &r->whole[low];
}

uint64_t
repair_finish(struct repair *r, struct fold *whole)
{
	const struct fold_stack *found;
	struct fold_stack s;
	bool *done = mem_zero(fold_size(r->broken) + 1, sizeof(*done));
	uint64_t completed = 0;
	size_t at, i;

	r->names = fold_names(whole);
	collect(r, whole);
	for (at = i = 0; fold_next(r->broken, &at, &s); i++) {
		found = find(r, &s);
		if (found == NULL)
			continue;
		/* It is there: nothing that was found moves. */
		fold_add(whole, found->id, found->n, s.count);
		completed += s.count[1].units;
		done[i] = true;
	}
	for (at = i = 0; fold_next(r->broken, &at, &s); i++) {
		if (!done[i])
			fold_add(whole, s.id, s.n, s.count);
	}
	free(done);
	return completed;
}
