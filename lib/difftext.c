/* difftext.c - the forms of reports on what changed. */
#include "diffreport.h"

#include "duration.h"
#include "mem.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static bool
is_function(const struct judge *j, const struct change *c)
{
	return c->row >= j->rows.frames;
}

static size_t
count_runs(const struct judge *j, enum side side)
{
	const struct sides *s = j->rows.sides;
	size_t i, n = 0;

	for (i = 0; i < s->n; i++)
		n += s->run[i].side == side;
	return n;
}

/* Samples of a side, as many as its counts stand for. */
static double
total(const struct judge *j, enum side side)
{
	const struct sides *s = j->rows.sides;
	double sum = 0;
	size_t i;

	for (i = 0; i < s->n; i++)
		sum += s->run[i].side == side ? j->rows.column[i][0] : 0;
	return sum;
}

static void
add_runs(const struct judge *j, enum side side, struct buf *out)
{
	size_t n = count_runs(j, side);

	buf_printf(out, "%zu run%s %s, %.0f samples", n, str_plural(n, "", "s"),
		   side == BEFORE ? "before" : "after", total(j, side));
}

static const char *
norm_name(const struct judge *j)
{
	static const char *const name[] = { "total", "none", "robust" };
	enum norm norm = j->option.norm.norm;

	return norm == NORM_KEY   ? j->option.norm.key :
	       norm == NORM_GIVEN ? "given" :
				    name[norm];
}

static const char *
origin(const struct judge *j)
{
	if (j->dispersion.guessed)
		return "assumed: too few frames to learn from";
	if (j->dispersion.measured)
		return "from replicates";
	return j->option.phi > 0 ? "as stated" : "assumed: one run a side";
}

static void
text_head(const struct judge *j, struct buf *out)
{
	const struct dispersion *d = &j->dispersion;

	add_runs(j, BEFORE, out);
	buf_str(out, STR("; "));
	add_runs(j, AFTER, out);
	buf_printf(out, "; norm %s\n", norm_name(j));
	buf_printf(out, "dispersion %.3g", fmax(d->base, d->floor));
	if (d->slope > 0)
		buf_printf(out, " + %.2g a sample", d->slope);
	buf_printf(out, ", %s%s; %zu tests, false discoveries %.3g\n\n",
		   origin(j), j->bounded ? ", or what seconds of it show" : "",
		   j->n, j->option.fdr);
}

/* Whether shares are what a call has of a count, exposure.h. */
static bool
is_per_call(const struct judge *j)
{
	return j->option.norm.norm == NORM_KEY &&
	       strcmp(j->option.norm.key, "exposure") == 0;
}

/* "12.34%", or the count by the exposure: what a call took. */
static void
add_share(const struct judge *j, double share, struct buf *out)
{
	const struct sides *s = j->rows.sides;
	struct str unit = meta_get(exposure_meta(s, s->n - 1), "unit");
	enum norm norm = j->option.norm.norm;
	struct buf text = { 0 };

	if (norm == NORM_TOTAL || norm == NORM_ROBUST)
		buf_printf(&text, "%.2f%%", 100 * share);
	else if (str_eq(unit, STR("ns")))
		duration_print(&text, share);
	else
		buf_printf(&text, "%.3g", share);
	buf_printf(out, " %7.*s", (int)text.len, text.p);
	buf_free(&text);
}

void
diffreport_line(const struct judge *j, const struct change *c, struct buf *out)
{
	struct buf change = { 0 }, interval = { 0 };

	diffreport_change(&change, c->ratio);
	if (c->lo > 0)
		diffreport_change(&interval, c->lo);
	else
		buf_str(&interval, STR("-100%"));
	buf_str(&interval, STR(" .. "));
	if (c->hi < HUGE_VAL)
		diffreport_change(&interval, c->hi);
	buf_printf(out, "%-5s %7.*s  %-16.*s", diffreport_class(c),
		   (int)change.len, change.p, (int)interval.len, interval.p);
	add_share(j, c->share[BEFORE], out);
	add_share(j, c->share[AFTER], out);
	buf_str(out, STR("  "));
	diffreport_row(j, c->row, out);
	if (c->partner != 0) {
		buf_printf(out, "  (renamed %s? ",
			   c->class == CHANGE_NEW ? "from" : "to");
		diffreport_row(j, c->partner, out);
		buf_char(out, ')');
	}
	buf_char(out, '\n');
	buf_free(&change);
	buf_free(&interval);
}

static void
text_changes(const struct judge *j, bool functions, struct buf *out)
{
	bool any = false;
	size_t i;

	for (i = 0; i < j->nchange; i++) {
		if (is_function(j, &j->change[i]) != functions)
			continue;
		if (!any)
			buf_printf(out,
				   "class  change  interval          before  "
				   "after   %s\n",
				   functions ? "function" : "where");
		any = true;
		diffreport_line(j, &j->change[i], out);
	}
	if (any)
		buf_char(out, '\n');
}

/* What a change would have had to be, to be seen. */
static void
text_least(const struct judge *j, struct buf *out)
{
	static const double share[] = { 0.01, 0.02, 0.05, 0.1, 0.2, 0.5 };
	size_t i;

	buf_str(out, STR("a change is found 8 times in 10 from this size on:"
			 "\n  of a share of "));
	for (i = 0; i < sizeof(share) / sizeof(*share); i++)
		buf_printf(out, " %6.0f%%", 100 * share[i]);
	buf_str(out, STR("\n                 "));
	for (i = 0; i < sizeof(share) / sizeof(*share); i++) {
		struct buf change = { 0 };

		diffreport_change(&change, diffreport_least(j, share[i]));
		buf_printf(out, " %7.*s", (int)change.len, change.p);
		buf_free(&change);
	}
	buf_char(out, '\n');
}

static void
report_text(const struct judge *j, struct buf *out)
{
	if (j->untested != NULL) {
		buf_printf(out, "not tested: %s\n", j->untested);
		return;
	}
	text_head(j, out);
	if (j->nchange == 0)
		buf_str(out, STR("nothing changed beyond noise\n\n"));
	text_changes(j, true, out);
	text_changes(j, false, out);
	if (!is_per_call(j))
		text_least(j, out);
}

/* "inf" is no number in JSON: null there. */
static void
add_number(struct buf *out, double n, bool json)
{
	if (n < HUGE_VAL)
		buf_printf(out, "%.6g", n);
	else
		buf_str(out, json ? STR("null") : STR("inf"));
}

static void
report_tsv(const struct judge *j, struct buf *out)
{
	size_t i, k;

	buf_str(out, STR("kind\tclass\tsamples_before\tsamples_after\t"
			 "share_before\tshare_after\tratio\tlo\thi\tp\tq\t"
			 "what\trenamed\n"));
	for (i = 0; i < j->nchange; i++) {
		const struct change *c = &j->change[i];
		const double number[] = { c->x,
					  c->y,
					  c->share[BEFORE],
					  c->share[AFTER],
					  c->ratio,
					  c->lo,
					  c->hi,
					  c->p,
					  c->q };

		buf_printf(out, "%s\t%s",
			   is_function(j, c) ? "function" : "stack",
			   diffreport_class(c));
		for (k = 0; k < sizeof(number) / sizeof(*number); k++) {
			buf_char(out, '\t');
			add_number(out, number[k], false);
		}
		buf_char(out, '\t');
		diffreport_row(j, c->row, out);
		buf_char(out, '\t');
		if (c->partner != 0)
			diffreport_row(j, c->partner, out);
		buf_char(out, '\n');
	}
}

/* Names hold no control characters, and are valid UTF-8. */
static void
add_string(struct buf *out, struct str s)
{
	size_t i;

	buf_char(out, '"');
	for (i = 0; i < s.len; i++) {
		if (s.p[i] == '"' || s.p[i] == '\\')
			buf_char(out, '\\');
		buf_char(out, s.p[i]);
	}
	buf_char(out, '"');
}

static void
add_row(const struct judge *j, const char *key, uint32_t row, struct buf *out)
{
	struct buf name = { 0 };

	diffreport_row(j, row, &name);
	buf_printf(out, "\"%s\":", key);
	add_string(out, buf_slice(&name));
	buf_free(&name);
}

static void
json_change(const struct judge *j, const struct change *c, struct buf *out)
{
	const struct {
		const char *key;
		double value;
	} number[] = { { "samples_before", c->x },
		       { "samples_after", c->y },
		       { "share_before", c->share[BEFORE] },
		       { "share_after", c->share[AFTER] },
		       { "ratio", c->ratio },
		       { "lo", c->lo },
		       { "hi", c->hi },
		       { "p", c->p },
		       { "q", c->q } };
	size_t i;

	buf_char(out, '{');
	add_row(j, is_function(j, c) ? "function" : "stack", c->row, out);
	buf_printf(out, ",\"class\":\"%s\"", diffreport_class(c));
	for (i = 0; i < sizeof(number) / sizeof(*number); i++) {
		buf_printf(out, ",\"%s\":", number[i].key);
		add_number(out, number[i].value, true);
	}
	if (c->partner != 0) {
		buf_char(out, ',');
		add_row(j, "renamed", c->partner, out);
	}
	buf_char(out, '}');
}

static void
json_head(const struct judge *j, struct buf *out)
{
	const struct dispersion *d = &j->dispersion;

	buf_printf(out, "\"runs\":[%zu,%zu],\"samples\":[%.0f,%.0f]",
		   count_runs(j, BEFORE), count_runs(j, AFTER),
		   total(j, BEFORE), total(j, AFTER));
	buf_str(out, STR(",\"norm\":"));
	add_string(out, str_of(norm_name(j)));
	buf_printf(out, ",\"tests\":%zu,\"fdr\":%.6g", j->n, j->option.fdr);
	buf_printf(out,
		   ",\"dispersion\":{\"base\":%.4g,\"slope\":%.4g,"
		   "\"measured\":%s}",
		   fmax(d->base, d->floor), d->slope,
		   d->measured && !d->guessed ? "true" : "false");
	buf_printf(out, ",\"least\":{\"1%%\":%.4g,\"10%%\":%.4g}",
		   diffreport_least(j, 0.01), diffreport_least(j, 0.1));
}

static void
report_json(const struct judge *j, struct buf *out)
{
	size_t i;

	buf_printf(out, "{\"tested\":%s,", j->untested ? "false" : "true");
	if (j->untested != NULL) {
		buf_str(out, STR("\"reason\":"));
		add_string(out, str_of(j->untested));
	} else {
		json_head(j, out);
	}
	buf_str(out, STR(",\"changes\":["));
	for (i = 0; i < j->nchange; i++) {
		buf_str(out, i > 0 ? STR(",\n") : STR("\n"));
		json_change(j, &j->change[i], out);
	}
	buf_str(out, STR("]}\n"));
}

void
diffreport(const struct judge *j, enum report kind, struct buf *out)
{
	if (kind == REPORT_TEXT)
		report_text(j, out);
	else if (kind == REPORT_TSV)
		report_tsv(j, out);
	else if (kind == REPORT_JSON)
		report_json(j, out);
}
