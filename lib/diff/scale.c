/* scale.c - scales counts to another total, exactly. */
#include "diff/scale.h"

#include "base/mem.h"

#include <stdlib.h>

#define MICRO 1000000

/* A product of 64-bit numbers; gcc and clang have it on 64-bit machines. */
__extension__ typedef unsigned __int128 wide;

struct share {
	uint64_t remainder;
	size_t i;
};

/* Convert a count to whole units or millionths.  False if it does not fit. */
static bool
to_parts(struct count c, bool micro, uint64_t *parts)
{
	*parts = c.units;
	return !micro || (!__builtin_mul_overflow(c.units, MICRO, parts) &&
			  !__builtin_add_overflow(*parts, c.micro, parts));
}

static struct count
from_parts(uint64_t parts, bool micro)
{
	if (!micro)
		return count_of(parts);
	return (struct count){ parts / MICRO, (uint32_t)(parts % MICRO) };
}

static int
larger_first(const void *a, const void *b)
{
	const struct share *x = a, *y = b;

	if (x->remainder != y->remainder)
		return x->remainder < y->remainder ? 1 : -1;
	return (x->i > y->i) - (x->i < y->i);
}

/* part[i] = part[i] * total / sum, by the largest remainders. */
static void
divide(uint64_t *part, size_t n, uint64_t sum, uint64_t total)
{
	struct share *share = mem_zero(n, sizeof(*share));
	uint64_t left = total;
	size_t i;

	for (i = 0; i < n; i++) {
		wide product = (wide)part[i] * total;

		part[i] = (uint64_t)(product / sum);
		share[i] = (struct share){ (uint64_t)(product % sum), i };
		left -= part[i];
	}
	/* The remainders sum to sum * left, so left < n. */
	qsort(share, n, sizeof(*share), larger_first);
	for (i = 0; i < left; i++)
		part[share[i].i]++;
	free(share);
}

bool
scale_counts(struct count *count, size_t n, struct count total)
{
	uint64_t *part = mem_zero(n, sizeof(*part)), sum = 0, to;
	bool micro = total.micro != 0, fits;
	size_t i;

	for (i = 0; i < n; i++)
		micro |= count[i].micro != 0;
	fits = to_parts(total, micro, &to);
	for (i = 0; i < n && fits; i++)
		fits = to_parts(count[i], micro, &part[i]) &&
		       !__builtin_add_overflow(sum, part[i], &sum);
	if (fits && sum > 0) {
		divide(part, n, sum, to);
		for (i = 0; i < n; i++)
			count[i] = from_parts(part[i], micro);
	}
	free(part);
	return fits;
}
