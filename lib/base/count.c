/* count.c - counts with up to six decimal places. */
#include "base/count.h"

#define MICRO 1000000

bool
count_add(struct count *sum, struct count n)
{
	uint32_t micro = sum->micro + n.micro;
	uint64_t units;

	if (__builtin_add_overflow(sum->units, n.units, &units) ||
	    __builtin_add_overflow(units, micro >= MICRO, &units))
		return false;
	sum->units = units;
	sum->micro = micro >= MICRO ? micro - MICRO : micro;
	return true;
}

struct count
count_sub(struct count a, struct count b)
{
	bool borrow = b.micro > a.micro;

	a.units -= b.units + borrow;
	a.micro += (borrow ? MICRO : 0) - b.micro;
	return a;
}

int
count_cmp(struct count a, struct count b)
{
	if (a.units != b.units)
		return a.units < b.units ? -1 : 1;
	return (a.micro > b.micro) - (a.micro < b.micro);
}

double
count_double(struct count c)
{
	return (double)c.units + c.micro / (double)MICRO;
}

/* Parse the decimals after the point to millionths, rounded half up. */
static bool
parse_micro(struct str s, uint32_t *micro)
{
	uint32_t n = 0, place = MICRO / 10;
	bool round_up = false;
	size_t i;

	for (i = 0; i < s.len; i++) {
		if (!str_isdigit(s.p[i]))
			return false;
		n += (uint32_t)(s.p[i] - '0') * place;
		if (i == 6)
			round_up = s.p[i] >= '5';
		place /= 10;
	}
	*micro = n + round_up;
	return true;
}

uint64_t
count_gcd(uint64_t a, uint64_t b)
{
	uint64_t remainder;

	while (b != 0) {
		remainder = a % b;
		a = b;
		b = remainder;
	}
	return a;
}

enum count_error
count_parse(struct str s, struct count *c)
{
	struct str whole = s, decimals;
	struct count n = { 0, 0 };
	size_t i;

	for (i = 0; i < s.len && str_isdigit(s.p[i]); i++)
		continue;
	if (i == 0 || (i < s.len && s.p[i] != '.'))
		return COUNT_BAD;
	whole.len = i;
	decimals = str_skip(s, i + 1);
	if (!parse_micro(decimals, &n.micro))
		return COUNT_BAD;
	if (!str_u64(whole, &n.units))
		return COUNT_OVERFLOW;
	if (n.micro == MICRO) {
		n.micro = 0;
		if (++n.units == 0)
			return COUNT_OVERFLOW;
	}
	*c = n;
	return COUNT_OK;
}

void
count_print(struct buf *out, struct count c)
{
	char digits[6];
	uint32_t micro = c.micro;
	size_t i;

	buf_u64(out, c.units);
	if (micro == 0)
		return;
	for (i = sizeof(digits); i-- > 0; micro /= 10)
		digits[i] = (char)('0' + micro % 10);
	for (i = sizeof(digits); digits[i - 1] == '0'; i--)
		continue;
	buf_char(out, '.');
	buf_add(out, digits, i);
}
