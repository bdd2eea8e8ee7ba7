/* latency.h - the distribution of the latencies of calls: percentiles, mean. */
#ifndef LATENCY_H
#define LATENCY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The relative error of a percentile from buckets: it may be too large. */
#define LATENCY_ERROR (1.0 / 128)

/* Latencies in ns.  All zero is empty; release with latency_free(). */
struct latency {
	uint64_t n;
	uint64_t min, max;
	double sum;

	/* Private to latency.c. */
	double mean, squares; /* squares of the differences from the mean */
	uint64_t *value;      /* exact latencies, */
	size_t cap;
	uint64_t *bucket; /* or a histogram, else NULL */
};

void latency_add(struct latency *l, uint64_t ns);

/* Replace the exact latencies by a histogram, which has a fixed size. */
void latency_use_buckets(struct latency *l);

/* Whether latencies are exact. */
bool latency_is_exact(const struct latency *l);

/*
 * The bucket of a latency, less than LATENCY_BUCKETS.  Latencies in a bucket
 * differ by at most LATENCY_ERROR.
 */
#define LATENCY_BUCKETS (58 * 128)
unsigned latency_bucket(uint64_t ns);

/* The largest latency in a bucket. */
uint64_t latency_bucket_end(unsigned bucket);

/*
 * The percentile by nearest rank, 0 < percent <= 100; from buckets, the end of
 * the bucket.  Reorders the latencies, of which there must be one or more.
 */
uint64_t latency_percentile(struct latency *l, double percent);

/* The latency that n others exceed; n < l->n. */
uint64_t latency_nth_longest(struct latency *l, uint64_t n);

/* The standard deviation. */
double latency_deviation(const struct latency *l);

/* The number of latencies above from, up to and including to. */
uint64_t latency_between(const struct latency *l, uint64_t from, uint64_t to);

/* Release all memory; l is empty then. */
void latency_free(struct latency *l);

#endif
