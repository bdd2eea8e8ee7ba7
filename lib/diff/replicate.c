/* replicate.c - one run: a file, or one column of a two-count file. */
#include "diff/replicate.h"

#include "base/mem.h"

#include <err.h>
#include <stdlib.h>

void
replicate_init(struct replicate *run, const char *name, enum side side)
{
	*run =
	    (struct replicate){ .side = side, .whole = true, .sampled = true };
	run->name = strdup(name);
	if (run->name == NULL)
		err(2, NULL);
}

void
replicate_add(struct replicate *run, uint32_t frame, struct stacks_seen seen,
	      struct count count)
{
	double n = count_double(count);

	run->whole &= count.micro == 0;
	if (run->gcd != 1 && count.units != 0)
		run->gcd = count_gcd(run->gcd, count.units);
	run->sampled &= seen.is_sample;
	run->total += n;
	run->squares += n * n;
	run->weight = mem_grow(run->weight, &run->cap, run->n + 1,
			       sizeof(*run->weight));
	run->weight[run->n++] = (struct weight){ frame, seen.time, n };
}

static int
by_frame(const void *a, const void *b)
{
	const struct weight *x = a, *y = b;

	return (x->frame > y->frame) - (x->frame < y->frame);
}

/* Sum the weights of each frame. */
static void
merge_frames(struct replicate *run)
{
	size_t i, n = 0;

	if (run->n > 0)
		qsort(run->weight, run->n, sizeof(*run->weight), by_frame);
	for (i = 0; i < run->n; i++) {
		if (n > 0 && run->weight[n - 1].frame == run->weight[i].frame)
			run->weight[n - 1].n += run->weight[i].n;
		else
			run->weight[n++] = run->weight[i];
	}
	run->n = n;
}

void
replicate_join(struct replicate *run, const struct replicate *other)
{
	run->weight = mem_grow(run->weight, &run->cap, run->n + other->n,
			       sizeof(*run->weight));
	if (other->n > 0)
		memcpy(run->weight + run->n, other->weight,
		       other->n * sizeof(*run->weight));
	run->n += other->n;
	run->total += other->total;
	run->squares += other->squares;
	run->whole &= other->whole;
	run->sampled = false;
	run->gcd = count_gcd(run->gcd, other->gcd);
	merge_frames(run);
}

void
replicate_free(struct replicate *run)
{
	free(run->name);
	free(run->weight);
	meta_free(&run->meta);
}
