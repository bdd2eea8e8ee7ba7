/* stitch.c - completes truncated stacks from whole ones: --repair. */
#include "reader/stitch.h"

#include "base/arena.h"
#include "base/mem.h"

#include <stdlib.h>

struct stitch {
	struct fold *truncated; /* counts: weight, samples */
	size_t nroot;           /* the same for all of them */
	const struct intern *names;

	/* The whole stacks, sorted by roots, then by frames from the leaf. */
	struct fold_stack *whole;
	size_t n;
	struct arena ids;
};

struct stitch *
stitch_new(void)
{
	struct stitch *st = mem_zero(1, sizeof(*st));

	st->truncated = fold_new(2);
	return st;
}

void
stitch_free(struct stitch *st)
{
	if (st == NULL)
		return;
	fold_free(st->truncated);
	free(st->whole);
	arena_free(&st->ids);
	free(st);
}

bool
stitch_add(struct stitch *st, const uint32_t *id, size_t n, size_t nroot,
	   struct count count)
{
	const struct count both[2] = { count, count_of(1) };

	if (n < nroot + 2)
		return false;
	if (fold_size(st->truncated) == 0)
		st->nroot = nroot;
	if (nroot != st->nroot)
		return false;
	fold_add(st->truncated, id, n, both);
	return true;
}

/*
 * Compare two stacks by their nroot root frames, then by up to max frames from
 * the leaf.  A stack that ends before is less.
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
collect(struct stitch *st, struct fold *whole)
{
	struct fold_stack s;
	size_t cap = 0, at = 0;

	while (fold_next(whole, &at, &s)) {
		if (s.n <= st->nroot)
			continue;
		st->whole = mem_grow(st->whole, &cap, st->n + 1, sizeof(s));
		s.id = memcpy(arena_alloc(&st->ids, s.n * sizeof(*s.id)), s.id,
			      s.n * sizeof(*s.id));
		st->whole[st->n++] = s;
	}
	if (st->n > 0)
		qsort_r(st->whole, st->n, sizeof(s), by_frames, &st->nroot);
}

/* The only whole stack that ends in the frames of a truncated one, or NULL. */
static const struct fold_stack *
find(const struct stitch *st, const struct fold_stack *truncated)
{
	const size_t depth = truncated->n - st->nroot - 1;
	const struct str outermost = intern_name(st->names,
						 truncated->id[st->nroot + 1]);
	size_t low = 0, high = st->n, mid;

	/* A frame without a name, "[libc.so.6]", may be any function. */
	if (str_starts(outermost, STR("[")))
		return NULL;
	while (low < high) {
		mid = low + (high - low) / 2;
		if (compare(&st->whole[mid], truncated, st->nroot, depth) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == st->n ||
	    compare(&st->whole[low], truncated, st->nroot, depth) != 0)
		return NULL;
	if (low + 1 < st->n &&
	    compare(&st->whole[low + 1], truncated, st->nroot, depth) == 0)
		return NULL;
	return &st->whole[low];
}

uint64_t
stitch_finish(struct stitch *st, struct fold *whole)
{
	const struct fold_stack *found;
	struct fold_stack s;
	bool *done = mem_zero(fold_size(st->truncated) + 1, sizeof(*done));
	uint64_t completed = 0;
	size_t at, i;

	st->names = fold_names(whole);
	collect(st, whole);
	for (at = i = 0; fold_next(st->truncated, &at, &s); i++) {
		found = find(st, &s);
		if (found == NULL)
			continue;
		/* The stack exists already, so the counts do not move. */
		fold_add(whole, found->id, found->n, s.count);
		completed += s.count[1].units;
		done[i] = true;
	}
	for (at = i = 0; fold_next(st->truncated, &at, &s); i++) {
		if (!done[i])
			fold_add(whole, s.id, s.n, s.count);
	}
	free(done);
	return completed;
}
