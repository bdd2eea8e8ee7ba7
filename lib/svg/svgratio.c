/* svgratio.c - pictures of two events: width by one, colour by their ratio. */
#include "svg/svgratio.h"

#include "svg/diffcolour.h"

#include <math.h>

/* Append "cycle" for "cycles". */
static void
add_singular(struct buf *out, struct str name)
{
	if (name.len > 1 && str_ends(name, STR("s")))
		name.len--;
	buf_str(out, name);
}

/* Choose the unit so that the ratio of all counts is an easy number. */
static void
choose_unit(struct svgratio *r, struct str under, double plain, bool is_ns)
{
	buf_str(&r->unit, r->over);
	if (is_ns) {
		r->factor = plain * 1e6 < 0.1 ? 1e9 : 1e6;
		buf_str(&r->unit, r->factor > 1e6 ? STR(" per s of ") :
						    STR(" per ms of "));
		buf_str(&r->unit, under);
		return;
	}
	r->factor = plain >= 0.1 ? 1 : plain >= 1e-4 ? 1e3 : 1e6;
	if (r->factor == 1) {
		buf_str(&r->unit, STR(" per "));
		add_singular(&r->unit, under);
		return;
	}
	buf_printf(&r->unit, " per %s ", r->factor > 1e3 ? "million" : "1000");
	buf_str(&r->unit, under);
}

/* The ratio of a frame's totals; negative if the second is 0. */
static double
ratio_of(const struct svgratio *r, const struct tree *t, uint32_t i)
{
	double under = count_double(tree_total(t, i, 1));

	if (under <= 0)
		return -1;
	return r->factor * count_double(tree_total(t, i, 0)) / under;
}

bool
svgratio_init(struct svgratio *r, const struct event_ratio *given,
	      const struct tree *t, const struct meta *meta)
{
	struct event_ratio events = *given;
	double plain;

	*r = (struct svgratio){ .factor = 1 };
	if (t->counts != 2)
		return false;
	meta_decode(&r->text, meta_get(meta, "ratio"));
	if (events.over.len == 0 &&
	    !event_ratio_parse(buf_slice(&r->text), &events)) {
		svgratio_free(r);
		return false;
	}
	r->over = events.over;
	r->under = events.under;
	plain = ratio_of(r, t, 0);
	choose_unit(r, events.under, plain,
		    str_eq(meta_get(meta, "unit"), STR("ns")));
	r->whole = plain > 0 ? plain * r->factor : 0;
	r->places = r->whole >= 100 ? 0 : r->whole >= 10 ? 1 : 2;
	return true;
}

void
svgratio_free(struct svgratio *r)
{
	buf_free(&r->unit);
	buf_free(&r->text);
}

void
svgratio_print(const struct svgratio *r, const struct tree *t, uint32_t i,
	       struct buf *out)
{
	double ratio = ratio_of(r, t, i);

	if (ratio < 0)
		buf_char(out, '-');
	else
		buf_printf(out, "%.*f", r->places, ratio);
}

uint32_t
svgratio_step(const struct svgratio *r, const struct tree *t, uint32_t i,
	      bool negate)
{
	double ratio = ratio_of(r, t, i), steps;

	if (ratio < 0 || r->whole <= 0)
		return DIFF_SAME;
	/* A ratio of 0 has no logarithm that is finite. */
	steps = ratio == 0 ? -DIFF_STEPS :
			     round(DIFF_STEPS * log2(ratio / r->whole) /
				   log2(SVGRATIO_MOST));
	steps = fmin(DIFF_STEPS, fmax(-DIFF_STEPS, steps));
	return (uint32_t)(DIFF_SAME + (negate ? -steps : steps));
}
