/* count.h - counts with up to six decimal places; folded(5). */
#ifndef COUNT_H
#define COUNT_H

#include "buf.h"

/* units + micro / 1000000; micro is always below 1000000. */
struct count {
	uint64_t units;
	uint32_t micro;
};

/* A whole number. */
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

/* Add n to *sum, exactly; false, with *sum as it was, beyond 64 bits. */
bool count_add(struct count *sum, struct count n);

/* a less b, which is at most a. */
struct count count_minus(struct count a, struct count b);

/* <0, 0, >0 */
int count_cmp(struct count a, struct count b);

/* As a floating point number, for widths and shares. */
double count_double(struct count c);

/* The greatest common divisor of whole counts; that of 0 and n is n. */
uint64_t count_gcd(uint64_t a, uint64_t b);

enum count_error { COUNT_OK, COUNT_BAD, COUNT_OVERFLOW };

/*
 * Read all of s: digits, and perhaps a point and decimals, which are rounded
 * half up to six places.  A sign, an exponent or anything else is COUNT_BAD;
 * more than 64 bits of units is COUNT_OVERFLOW.  *c is set only if COUNT_OK.
 */
enum count_error count_parse(struct str s, struct count *c);

/* Write c in decimal, without trailing zeros. */
void count_print(struct buf *out, struct count c);

#endif
