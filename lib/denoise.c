/* denoise.c - a before column in which only what changed differs. */
#include "denoise.h"

#include "diffreport.h"
#include "mem.h"
#include "scale.h"

#include <math.h>
#include <stdlib.h>

/* The change a frame belongs to: its own, or that of what called it. */
static uint32_t *
find_owners(const struct judge *j)
{
	uint32_t *owner = diffreport_places(j), i;

	for (i = 1; i < j->rows.frames; i++) {
		if (owner[i] == 0)
			owner[i] = owner[j->rows.sides->trie.frame[i].parent];
	}
	return owner;
}

/* Exposure after to that before, in what is counted. */
static double
exposure_ratio(const struct judge *j)
{
	const struct sides *s = j->rows.sides;
	double sum[2] = { 0, 0 };
	size_t i;

	for (i = 0; i < s->n; i++)
		sum[s->run[i].side] += j->exposure.e[i] *
				       j->exposure.quantum[i];
	return sum[AFTER] / sum[BEFORE];
}

/* Scale n counts to a factor of their sum, whole if they are. */
static void
scale_by(struct count *count, size_t n, double factor)
{
	struct count sum = { 0, 0 };
	double total;
	size_t i;

	for (i = 0; i < n; i++)
		count_add(&sum, count[i]);
	total = round(count_double(sum) * factor);
	/* What does not fit is left as it is: a picture of noise is none. */
	if (total < 0x1p64)
		scale_counts(count, n, count_of((uint64_t)total));
}

/* A pair and the change it belongs to. */
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
sort_pairs(const struct judge *j, const struct sides *s)
{
	struct owned *owned = mem_zero(s->npair, sizeof(*owned));
	uint32_t *owner = find_owners(j), i;

	for (i = 0; i < s->npair; i++)
		owned[i] = (struct owned){ owner[s->pair[i].frame],
					   s->pair[i].frame, i };
	qsort(owned, s->npair, sizeof(*owned), by_owner);
	free(owner);
	return owned;
}

/* The pairs of one change, or of none. */
static void
denoise_some(const struct judge *j, struct pairs *p, const struct owned *owned,
	     size_t n)
{
	const struct pair *pair = p->sides->pair;
	const struct change *c = owned->owner == 0 ?
				     NULL :
				     &j->change[owned->owner - 1];
	bool gone = c != NULL && !(c->y > 0);
	struct count *count = mem_zero(n, sizeof(*count));
	size_t i;

	for (i = 0; i < n; i++)
		count[i] = pair[owned[i].pair].count[gone ? BEFORE : AFTER];
	if (gone)
		scale_by(count, n, exposure_ratio(j));
	else if (c != NULL)
		scale_by(count, n, 1 / c->ratio);
	for (i = 0; i < n; i++)
		p->count[BEFORE][owned[i].pair] = count[i];
	free(count);
}

void
denoise(const struct judge *j, struct pairs *p)
{
	const struct sides *s = p->sides;
	struct owned *owned = sort_pairs(j, s);
	size_t i, n;

	p->count[BEFORE] = mem_zero(s->npair, sizeof(*p->count[BEFORE]));
	for (i = 0; i < s->npair; i += n) {
		for (n = 1; i + n < s->npair; n++) {
			if (owned[i + n].owner != owned[i].owner)
				break;
		}
		denoise_some(j, p, owned + i, n);
	}
	free(owned);
}
