/* run.c - one profile of a side. */
#include "run.h"

#include "mem.h"

#include <err.h>
#include <stdlib.h>

void
run_init(struct run *r, const char *name, enum side side)
{
	*r = (struct run){ .side = side, .whole = true };
	r->name = strdup(name);
	if (r->name == NULL)
		err(2, NULL);
}

void
run_add(struct run *r, uint32_t frame, uint32_t second, struct count c)
{
	double n = count_double(c);

	r->whole &= c.micro == 0;
	if (r->gcd != 1 && c.units != 0)
		r->gcd = count_gcd(r->gcd, c.units);
	r->total += n;
	r->weight = mem_grow(r->weight, &r->cap, r->n + 1, sizeof(*r->weight));
	r->weight[r->n++] = (struct weight){ frame, second, n };
}

static int
by_frame(const void *a, const void *b)
{
	const struct weight *x = a, *y = b;

	return (x->frame > y->frame) - (x->frame < y->frame);
}

/* Add up what ends in the same frame. */
static void
pack(struct run *r)
{
	size_t i, n = 0;

	if (r->n > 0)
		qsort(r->weight, r->n, sizeof(*r->weight), by_frame);
	for (i = 0; i < r->n; i++) {
		if (n > 0 && r->weight[n - 1].frame == r->weight[i].frame)
			r->weight[n - 1].n += r->weight[i].n;
		else
			r->weight[n++] = r->weight[i];
	}
	r->n = n;
}

void
run_join(struct run *r, const struct run *other)
{
	r->weight = mem_grow(r->weight, &r->cap, r->n + other->n,
			     sizeof(*r->weight));
	if (other->n > 0)
		memcpy(r->weight + r->n, other->weight,
		       other->n * sizeof(*r->weight));
	r->n += other->n;
	r->total += other->total;
	r->whole &= other->whole;
	r->gcd = count_gcd(r->gcd, other->gcd);
	pack(r);
}

void
run_free(struct run *r)
{
	free(r->name);
	free(r->weight);
	meta_free(&r->meta);
}
