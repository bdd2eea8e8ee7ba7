/* measure.c - what the counts of a profile are: unit, count per sample, words.
 */
#include "folded/measure.h"

#include "folded/event.h"

#include <math.h>

#define SECOND 1000000000

/* perf's default frequency is 4000 Hz. */
#define DEFAULT_PERIOD 250000

/*
 * Counts of samples are small, or many stacks have only a few samples.  Of so
 * few stacks nobody can tell.
 */
#define SMALL_TOTAL 1e6
#define FEW_STACKS 4

/*
 * The greatest common divisor that nearly all counts have, if it is large: by
 * majority, as the first counts may be the odd ones.
 */
static void
vote(struct measure_evidence *e, uint64_t count)
{
	uint64_t gcd = count_gcd(e->near, count);

	if (e->votes == 0)
		e->near = count;
	else if (gcd >= SECOND / 100000)
		e->near = gcd;
	else {
		e->odd++;
		e->votes--;
		return;
	}
	e->votes++;
}

/* The period of the clock whose multiples nearly all counts are, or 0. */
static uint64_t
near_clock(const struct measure_evidence *e)
{
	return !e->decimals && e->odd * 20 <= e->n &&
		       measure_is_clock(e->near) ?
		   e->near :
		   0;
}

void
measure_add(struct measure_evidence *e, struct count c)
{
	if (count_iszero(c))
		return;
	e->n++;
	e->few += c.units <= 3;
	e->decimals |= c.micro != 0;
	if (e->gcd != 1 && c.units != 0)
		e->gcd = count_gcd(e->gcd, c.units);
	if (c.units != 0)
		vote(e, c.units);
}

uint64_t
measure_period(uint64_t gcd, struct str unit)
{
	if (unit.len > 0 && !str_eq(unit, STR("ns")))
		return 0;
	return gcd >= 10000 && gcd <= SECOND ? gcd : 0;
}

bool
measure_is_clock(uint64_t period)
{
	uint64_t hz;

	if (period < SECOND / 10000 || period > SECOND)
		return false;
	if (period == DEFAULT_PERIOD)
		return true;
	hz = (SECOND + period / 2) / period;
	return SECOND / hz == period && period % 1000 != 0;
}

/* Whether counts without a unit look like numbers of samples. */
static bool
looks_sampled(const struct measure_evidence *e)
{
	return e->total <= SMALL_TOTAL || e->n < FEW_STACKS ||
	       e->few * 100 >= e->n;
}

/* Find the unit of counts without metadata. */
static void
infer_unit(struct measure *m, const struct measure_evidence *e)
{
	const uint64_t period = e->decimals ? 0 :
					      measure_period(e->gcd, STR(""));
	const uint64_t clock = near_clock(e);

	m->inferred = true;
	if (clock > 0) {
		m->quantum = clock;
		buf_str(&m->unit, STR("ns"));
		buf_str(&m->event, STR("cpu-clock"));
	} else if (looks_sampled(e)) {
		buf_str(&m->unit, STR("samples"));
	} else {
		m->quantum = period;
		buf_str(&m->unit, STR("period units"));
	}
}

void
measure_init(struct measure *m, const struct meta *meta,
	     const struct measure_evidence *e)
{
	uint64_t n;

	*m = (struct measure){ 0 };
	meta_decode(&m->unit, meta_get(meta, "unit"));
	meta_decode(&m->event, meta_get(meta, "event"));
	if (meta_u64(meta, "quantum", &n))
		m->quantum = n;
	if (m->unit.len == 0 && m->event.len > 0)
		buf_str(&m->unit, event_unit(buf_slice(&m->event)));
	if (m->unit.len == 0)
		infer_unit(m, e);
	if (str_eq(buf_slice(&m->unit), STR("samples")))
		m->quantum = 1;
	else if (m->quantum == 0 && near_clock(e) > 0)
		m->quantum = measure_period(e->near, buf_slice(&m->unit));
	if (meta_u64(meta, "n", &n))
		m->samples = (double)n;
	else if (m->quantum > 0)
		m->samples = round(e->total / (double)m->quantum);
}

void
measure_free(struct measure *m)
{
	buf_free(&m->unit);
	buf_free(&m->event);
	buf_free(&m->name);
}

/* What a time of an event is: " of CPU" for clocks that run with the CPU. */
static struct str
suffix(const struct measure *m)
{
	struct str modifiers,
	    name = event_name(buf_slice(&m->event), &modifiers);

	if (str_eq(name, STR("cpu-clock")) || str_eq(name, STR("task-clock")))
		return STR(" of CPU");
	if (str_eq(name, STR("off-cpu")))
		return STR(" off CPU");
	return STR("");
}

struct label_number
measure_number(struct measure *m, double total)
{
	static const struct {
		const char *unit;
		double second;
	} times[] = { { "ns", 1e9 }, { "us", 1e6 } };
	struct label_number number = { .factor = 1 };
	size_t i;

	m->name.len = 0;
	for (i = 0; i < 2; i++) {
		if (!str_eq(buf_slice(&m->unit), str_of(times[i].unit)))
			continue;
		/* Short times in ms, long ones in s. */
		number.decimals = 3;
		number.factor = (total < times[i].second ? 1e3 : 1) /
				times[i].second;
		buf_str(&m->name,
			total < times[i].second ? STR("ms") : STR("s"));
		buf_str(&m->name, suffix(m));
	}
	if (m->name.len == 0)
		buf_str(&m->name, buf_slice(&m->unit));
	number.unit = buf_slice(&m->name);
	return number;
}

/* Append a number with three digits, or all of a larger one. */
static void
add_approximate(struct buf *out, double n)
{
	static const struct label_number whole = { .factor = 1 };

	if (n >= 100)
		label_count(out, &whole, count_of((uint64_t)round(n)));
	else
		label_number(out, n, n < 10 ? 2 : 1);
}

void
measure_describe(struct measure *m, struct buf *out, double total)
{
	const bool are_samples = str_eq(buf_slice(&m->unit), STR("samples"));
	const double n = m->samples > 0 || !are_samples ? m->samples : total;
	const struct label_number number = measure_number(m, total);

	if (!are_samples) {
		add_approximate(out, total * number.factor);
		buf_char(out, ' ');
		buf_str(out, number.unit);
		buf_str(out, n >= 1 ? STR(", ") : STR(""));
	}
	if (n >= 1 || are_samples) {
		add_approximate(out, round(n));
		buf_str(out, round(n) == 1 ? STR(" sample") : STR(" samples"));
	}
}
