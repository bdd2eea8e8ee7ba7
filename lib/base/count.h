/* count.h - counts with up to six decimal places; folded(5). */
#ifndef COUNT_H
#define COUNT_H

#include "base/buf.h"

/* units + micro / 1000000; micro is always below 1000000. */
struct count {
	uint64_t units;
	uint32_t micro;
};

/* A count of whole units. */
static inline struct count
count_of(uint64_t units)
{
	return (struct count){ units, 0 };
}

static inline bool
count_iszero(struct count c)
{
	return c.units == 0 && c.micro == 0;
}

/* Add n to *sum; false, with *sum unchanged, if units exceed 64 bits. */
bool count_add(struct count *sum, struct count n);

/* a - b; b is at most a. */
struct count count_sub(struct count a, struct count b);

/* Compare, as for qsort(3). */
int count_cmp(struct count a, struct count b);

/* The nearest floating point number, for widths and shares. */
double count_double(struct count c);

/* The greatest common divisor of whole units; that of 0 and n is n. */
uint64_t count_gcd(uint64_t a, uint64_t b);

enum count_error { COUNT_OK, COUNT_BAD, COUNT_OVERFLOW };

/*
 * Parse all of s: digits, optionally a point and decimals, which are rounded
 * half up to six places.  Returns COUNT_BAD for anything else, such as a sign
 * or an exponent, and COUNT_OVERFLOW if units exceed 64 bits.  Sets *c only if
 * it returns COUNT_OK.
 */
enum count_error count_parse(struct str s, struct count *c);

/* Append c in decimal, without trailing zeros. */
void count_print(struct buf *out, struct count c);

#endif
