/* latency.h - how long calls took: percentiles, and how they are spread. */
#ifndef LATENCY_H
#define LATENCY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* By how much a percentile may be too large once latencies are blurred. */
#define LATENCY_ERROR (1.0 / 128)

/* Latencies in ns.  All zero is none; release with latency_free(). */
struct latency {
	uint64_t n;
	uint64_t least, most;
	double sum;

	/* Below here is latency.c's own. */
	double mean, squares; /* of differences from the mean */
	uint64_t *value;      /* while they are exact, */
	size_t cap;
	uint64_t *bucket; /* then how many are in each */
};

void latency_add(struct latency *l, uint64_t ns);

/*
 * From now on keep only how many are about as long, in a fixed amount of
 * memory.
 */
void latency_blur(struct latency *l);
bool latency_is_exact(const struct latency *l);

/*
 * The bucket of a latency among LATENCY_BUCKETS, in which all differ by at
 * most LATENCY_ERROR, and the largest that is in it.
 */
#define LATENCY_BUCKETS (58 * 128)
unsigned latency_bucket(uint64_t ns);
uint64_t latency_bucket_end(unsigned bucket);

/*
 * The percentile by nearest rank, 0 < percent <= 100; of blurred ones the end
 * of its bucket.  There must be some.
 */
uint64_t latency_percentile(struct latency *l, double percent);

/* The one that n others exceed, where n is less than there are. */
uint64_t latency_nth_longest(struct latency *l, uint64_t n);

/* The standard deviation of a single one. */
double latency_deviation(const struct latency *l);

/* How many are above from, and at or below to. */
uint64_t latency_between(const struct latency *l, uint64_t from, uint64_t to);

void latency_free(struct latency *l);

#endif
