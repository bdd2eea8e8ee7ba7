/* latency.c - the distribution of the latencies of calls: percentiles, mean. */
#include "split/latency.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

/*
 * Numbers below 128 have a bucket each.  The leading eight bits of a larger
 * number choose its bucket, so a bucket is at most 1/128 of its numbers wide.
 */
#define SUB_BITS 7

unsigned
latency_bucket(uint64_t ns)
{
	unsigned shift;

	if (ns < 1 << SUB_BITS)
		return (unsigned)ns;
	shift = 63 - SUB_BITS - (unsigned)__builtin_clzll(ns);
	return (shift << SUB_BITS) + (unsigned)(ns >> shift);
}

uint64_t
latency_bucket_end(unsigned bucket)
{
	unsigned shift = bucket >> SUB_BITS;

	if (shift == 0)
		return bucket;
	shift--;
	return (((uint64_t)(bucket - (shift << SUB_BITS)) + 1) << shift) - 1;
}

bool
latency_is_exact(const struct latency *l)
{
	return l->bucket == NULL;
}

/* Mean and squares by the method of Welford (1962). */
void
latency_add(struct latency *l, uint64_t ns)
{
	double difference = (double)ns - l->mean;

	if (l->bucket == NULL) {
		l->value = mem_grow(l->value, &l->cap, l->n + 1,
				    sizeof(*l->value));
		l->value[l->n] = ns;
	} else {
		l->bucket[latency_bucket(ns)]++;
	}
	l->min = l->n == 0 || ns < l->min ? ns : l->min;
	l->max = ns > l->max ? ns : l->max;
	l->n++;
	l->sum += (double)ns;
	l->mean += difference / (double)l->n;
	l->squares += difference * ((double)ns - l->mean);
}

void
latency_use_buckets(struct latency *l)
{
	size_t i;

	if (l->bucket != NULL)
		return;
	l->bucket = mem_zero(LATENCY_BUCKETS, sizeof(*l->bucket));
	for (i = 0; i < l->n; i++)
		l->bucket[latency_bucket(l->value[i])]++;
	free(l->value);
	l->value = NULL;
	l->cap = 0;
}

static void
swap(uint64_t *a, uint64_t *b)
{
	uint64_t t = *a;

	*a = *b;
	*b = t;
}

/* Return the k-th smallest of n numbers; reorders them (quickselect). */
static uint64_t
select_rank(uint64_t *p, size_t n, size_t k)
{
	size_t low = 0, high = n, i, less, equal;
	uint64_t pivot;

	for (;;) {
		if (high - low < 2)
			return p[k];
		pivot = p[low + (high - low) / 2];
		/* Three parts: less than the pivot, equal, more. */
		less = low;
		for (i = low; i < high; i++) {
			if (p[i] < pivot)
				swap(&p[i], &p[less++]);
		}
		equal = less;
		for (i = less; i < high; i++) {
			if (p[i] == pivot)
				swap(&p[i], &p[equal++]);
		}
		if (k < less)
			high = less;
		else if (k < equal)
			return pivot;
		else
			low = equal;
	}
}

/* The latency of a rank, counted from 0. */
static uint64_t
value_of_rank(struct latency *l, uint64_t rank)
{
	uint64_t before = 0;
	unsigned i = 0;

	if (l->bucket == NULL)
		return select_rank(l->value, l->n, rank);
	while ((before += l->bucket[i]) <= rank)
		i++;
	return latency_bucket_end(i) < l->max ? latency_bucket_end(i) : l->max;
}

uint64_t
latency_percentile(struct latency *l, double percent)
{
	/* 95 % of 800 is 760 and not, by a rounding error, 761. */
	double rank = ceil(percent * (double)l->n / 100 - 1e-9);

	return value_of_rank(l, rank < 1 ? 0 : (uint64_t)rank - 1);
}

uint64_t
latency_nth_longest(struct latency *l, uint64_t n)
{
	return value_of_rank(l, l->n - 1 - n);
}

double
latency_deviation(const struct latency *l)
{
	return l->n < 2 ? 0 : sqrt(l->squares / (double)(l->n - 1));
}

uint64_t
latency_between(const struct latency *l, uint64_t from, uint64_t to)
{
	uint64_t n = 0, end;
	size_t i;

	for (i = 0; l->bucket == NULL && i < l->n; i++)
		n += l->value[i] > from && l->value[i] <= to;
	for (i = 0; l->bucket != NULL && i < LATENCY_BUCKETS; i++) {
		end = latency_bucket_end((unsigned)i);
		if (end > from && end <= to)
			n += l->bucket[i];
	}
	return n;
}

void
latency_free(struct latency *l)
{
	free(l->value);
	free(l->bucket);
	*l = (struct latency){ 0 };
}
