/* duration.c - parse and print durations with units. */
#include "base/duration.h"

#include "base/count.h"

#include <math.h>

static const struct {
	struct str name;
	double ns;
} units[] = { { STR("s"), 1e9 },
	      { STR("ms"), 1e6 },
	      { STR("us"), 1e3 },
	      { STR("ns"), 1 } };

#define UNITS (sizeof(units) / sizeof(*units))

bool
duration_parse(struct str s, uint64_t *ns)
{
	const char *p = s.p, *end = s.p + s.len;
	struct count n;
	double value;
	size_t i;

	while (p < end && (str_isdigit(*p) || *p == '.'))
		p++;
	if (count_parse(str_range(s.p, p), &n) != COUNT_OK)
		return false;
	for (i = 0; i < UNITS; i++) {
		value = count_double(n) * units[i].ns;
		if (str_eq(str_trim(str_range(p, end)), units[i].name) &&
		    value < 0x1p63) {
			*ns = (uint64_t)(value + 0.5);
			return true;
		}
	}
	return false;
}

void
duration_print(struct buf *out, double ns)
{
	size_t i = 0;
	double value;
	int decimals;

	while (i < UNITS - 1 && fabs(ns) < units[i].ns * 0.9995)
		i++;
	value = ns / units[i].ns;
	decimals = fabs(value) < 9.995 ? 2 : fabs(value) < 99.95 ? 1 : 0;
	if (units[i].ns <= 1)
		decimals = 0;
	buf_printf(out, "%.*f ", decimals, value);
	buf_str(out, units[i].name);
}
