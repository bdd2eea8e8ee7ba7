/* denoise.c - removes noise from the before column of a two-count profile. */
#include "diff/denoise.h"

#include "base/mem.h"
#include "diff/diffverdict.h"
#include "diff/scale.h"

#include <math.h>
#include <stdlib.h>

/* The change each frame belongs to: its own, or that of its caller. */
static uint32_t *
find_owners(const struct significance *sig)
{
	uint32_t *owner = diffverdict_changes(sig), i;

	for (i = 1; i < sig->matrix.frames; i++) {
		if (owner[i] == 0)
			owner[i] =
			    owner[sig->matrix.comparison->trie.frame[i].parent];
	}
	return owner;
}

/* The ratio of exposures, after / before, in units of the counts. */
static double
exposure_ratio(const struct significance *sig)
{
	const struct comparison *c = sig->matrix.comparison;
	double sum[2] = { 0, 0 };
	size_t i;

	for (i = 0; i < c->n; i++)
		sum[c->run[i].side] += sig->exposure.value[i] *
				       sig->exposure.quantum[i];
	return sum[AFTER] / sum[BEFORE];
}

/* Scale n counts by a factor.  Whole counts stay whole. */
static void
scale_by(struct count *count, size_t n, double factor)
{
	struct count sum = { 0, 0 };
	double total;
	size_t i;

	for (i = 0; i < n; i++)
		count_add(&sum, count[i]);
	total = round(count_double(sum) * factor);
	/* Counts that do not fit stay as they are. */
	if (total < 0x1p64)
		scale_counts(count, n, count_of((uint64_t)total));
}

/* A pair and the change it belongs to: 1 + its index, or 0. */
struct owned {
	uint32_t owner, frame, pair;
};

static int
by_owner(const void *a, const void *b)
{
	const struct owned *x = a, *y = b;

	if (x->owner != y->owner)
		return x->owner < y->owner ? -1 : 1;
	return (x->frame > y->frame) - (x->frame < y->frame);
}

static struct owned *
sort_pairs(const struct significance *sig, const struct comparison *c)
{
	struct owned *owned = mem_zero(c->npair, sizeof(*owned));
	uint32_t *owner = find_owners(sig), i;

	for (i = 0; i < c->npair; i++)
		owned[i] = (struct owned){ owner[c->pair[i].frame],
					   c->pair[i].frame, i };
	qsort(owned, c->npair, sizeof(*owned), by_owner);
	free(owner);
	return owned;
}

/* Set the before counts of the pairs of one change, or of no change. */
static void
denoise_change(const struct significance *sig, struct twocount *p,
	       const struct owned *owned, size_t n)
{
	const struct pair *pair = p->comparison->pair;
	const struct change *c = owned->owner == 0 ?
				     NULL :
				     &sig->change[owned->owner - 1];
	bool gone = c != NULL && !(c->y > 0);
	struct count *count = mem_zero(n, sizeof(*count));
	size_t i;

	for (i = 0; i < n; i++)
		count[i] = pair[owned[i].pair].count[gone ? BEFORE : AFTER];
	if (gone)
		scale_by(count, n, exposure_ratio(sig));
	else if (c != NULL)
		scale_by(count, n, 1 / c->ratio);
	for (i = 0; i < n; i++)
		p->count[BEFORE][owned[i].pair] = count[i];
	free(count);
}

void
denoise(const struct significance *sig, struct twocount *p)
{
	const struct comparison *c = p->comparison;
	struct owned *owned = sort_pairs(sig, c);
	size_t i, n;

	p->count[BEFORE] = mem_zero(c->npair, sizeof(*p->count[BEFORE]));
	for (i = 0; i < c->npair; i += n) {
		for (n = 1; i + n < c->npair; n++) {
			if (owned[i + n].owner != owned[i].owner)
				break;
		}
		denoise_change(sig, p, owned + i, n);
	}
	free(owned);
}
