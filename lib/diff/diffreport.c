/* diffreport.c - reports of changes as text, TSV and JSON. */
#include "diff/diffreport.h"

#include "base/duration.h"
#include "diff/doubt.h"
#include "diff/stats.h"
#include "folded/meta.h"
#include "tree/trietext.h"

#include <math.h>

const char *
diffreport_class(const struct change *c)
{
	static const char *const name[] = { "up",    "down",   "new",    "gone",
					    "moved", "larger", "smaller" };

	return name[c->class];
}

void
diffreport_row(const struct significance *sig, uint32_t row, struct buf *out)
{
	const struct sample_matrix *m = &sig->matrix;

	if (row < m->frames)
		trietext_stack(&m->comparison->trie, m->comparison->names, row,
			       out);
	else
		buf_str(out, intern_name(m->function, row - m->frames));
}

void
diffreport_ratio(struct buf *out, double ratio)
{
	double percent = 100 * (ratio - 1);

	if (!(ratio < HUGE_VAL))
		buf_str(out, STR("new"));
	else if (ratio <= 0)
		buf_str(out, STR("gone"));
	else if (ratio >= 10)
		buf_printf(out, "x%.3g", ratio);
	else
		buf_printf(out, "%+.*f%%", fabs(percent) < 10 ? 1 : 0, percent);
}

/* The dispersion of a frame that has x and y samples. */
static double
expected_phi(const struct significance *sig, double x, double y, double *df)
{
	struct dispersion_estimate runs = { 0 };
	double phi, most = 0;
	size_t i;

	*df = HUGE_VAL;
	if (sig->assumed)
		return single_run_typical_phi(&sig->single, &sig->matrix, x, y);
	runs.mean = runs.target = (x + y) *
				  sample_matrix_run_share(&sig->matrix);
	phi = dispersion_of(&sig->dispersion, &runs, df);
	for (i = 0; i < sig->ntests; i++)
		most = fmax(most, sig->test[i].stats.df);
	if (sig->dispersion.measured)
		*df += most;
	return phi;
}

double
diffreport_detectable(const struct significance *sig, double share)
{
	double n = (double)sig->ntests, df, total[2], x, y, p, phi, error;

	sample_matrix_sum(&sig->matrix, 0, total);
	x = share * total[BEFORE];
	y = share * total[AFTER];
	p = sig->option.fdr * (double)(sig->nsignificant + 1) / (n > 0 ? n : 1);
	phi = expected_phi(sig, x, y, &df);
	error = sqrt(phi * (1 / x + 1 / y) *
		     (sig->exposure.shares ? 1 - share : 1));
	/* 0.8416: the normal deviate of a power of 80 %. */
	return exp((stats_t(stats_z(p < 1 ? p : 1), df) + 0.8416) * error);
}

void
diffreport_nothing(const struct significance *sig, struct buf *out)
{
	buf_str(out, STR("no change is beyond noise; a function of 10 % would "
			 "be found from "));
	diffreport_ratio(out, diffreport_detectable(sig, 0.1));
	buf_str(out, STR(" on"));
}

static bool
is_function(const struct significance *sig, const struct change *c)
{
	return c->row >= sig->matrix.frames;
}

static size_t
count_runs(const struct significance *sig, enum side side)
{
	const struct comparison *c = sig->matrix.comparison;
	size_t i, n = 0;

	for (i = 0; i < c->n; i++)
		n += c->run[i].side == side;
	return n;
}

/* All samples of a side. */
static double
total_samples(const struct significance *sig, enum side side)
{
	const struct comparison *c = sig->matrix.comparison;
	double sum = 0;
	size_t i;

	for (i = 0; i < c->n; i++)
		sum += c->run[i].side == side ? sig->matrix.column[i][0] : 0;
	return sum;
}

static void
add_runs(const struct significance *sig, enum side side, struct buf *out)
{
	size_t n = count_runs(sig, side);

	buf_printf(out, "%zu run%s %s, %.0f samples", n, str_plural(n, "", "s"),
		   side == BEFORE ? "before" : "after",
		   total_samples(sig, side));
}

static const char *
norm_name(const struct significance *sig)
{
	static const char *const name[] = { "total", "none", "robust" };
	enum norm norm = sig->option.norm.norm;

	return norm == NORM_KEY   ? sig->option.norm.key :
	       norm == NORM_GIVEN ? "given" :
				    name[norm];
}

/* Where the dispersion comes from. */
static const char *
dispersion_source(const struct significance *sig)
{
	if (sig->dispersion.too_few)
		return "assumed: too few frames to estimate it";
	if (sig->dispersion.measured)
		return "from replicates";
	return "as given by --phi";
}

/* What is assumed of one run a side. */
static void
text_assumed(const struct significance *sig, struct buf *out)
{
	const struct single_run *s = &sig->single;

	buf_printf(
	    out,
	    "one run per side; variation between runs assumed: user code "
	    "%g %%, kernel %g %%, JIT %g %%\n",
	    100 * s->user, 100 * SINGLE_RUN_KERNEL, 100 * SINGLE_RUN_JIT);
	if (!s->class.has_kernel)
		buf_str(out, STR("no kernel symbols: assuming user code for "
				 "all frames\n"));
	if (s->blocks.measured)
		buf_printf(out,
			   "spread within runs measured: %.3g times chance in "
			   "most functions; ",
			   s->typical);
	else
		buf_str(out, STR("no times: assuming chance for the variation "
				 "within runs; "));
}

static void
text_head(const struct significance *sig, struct buf *out)
{
	const struct dispersion *d = &sig->dispersion;

	add_runs(sig, BEFORE, out);
	buf_str(out, STR("; "));
	add_runs(sig, AFTER, out);
	buf_printf(out, "; norm %s\n", norm_name(sig));
	if (sig->assumed) {
		text_assumed(sig, out);
	} else {
		buf_printf(out, "dispersion %.3g", fmax(d->base, d->floor));
		if (d->slope > 0)
			buf_printf(out, " + %.2g a sample", d->slope);
		buf_printf(out, ", %s; ", dispersion_source(sig));
	}
	buf_printf(out, "%zu tests, false discoveries %.3g\n\n", sig->ntests,
		   sig->option.fdr);
}

/* Whether shares are counts per call, percall.h. */
static bool
is_per_call(const struct significance *sig)
{
	return sig->option.norm.norm == NORM_KEY &&
	       strcmp(sig->option.norm.key, "exposure") == 0;
}

/* Append "12.34%", or the count per unit of exposure. */
static void
add_share(const struct significance *sig, double share, struct buf *out)
{
	const struct comparison *c = sig->matrix.comparison;
	struct str unit = meta_get(comparison_meta(c, c->n - 1), "unit");
	enum norm norm = sig->option.norm.norm;
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

static void
add_interval(const struct change *c, struct buf *out)
{
	if (c->lo > 0)
		diffreport_ratio(out, c->lo);
	else
		buf_str(out, STR("-100%"));
	buf_str(out, STR(" .. "));
	if (c->hi < HUGE_VAL)
		diffreport_ratio(out, c->hi);
}

void
diffreport_line(const struct significance *sig, const struct change *c,
		struct buf *out)
{
	struct buf change = { 0 }, interval = { 0 };

	diffreport_ratio(&change, c->ratio);
	if (sig->untested == NULL)
		add_interval(c, &interval);
	buf_printf(out, "%-7s %7.*s  %-16.*s", diffreport_class(c),
		   (int)change.len, change.p, (int)interval.len, interval.p);
	add_share(sig, c->share[BEFORE], out);
	add_share(sig, c->share[AFTER], out);
	buf_str(out, STR("  "));
	diffreport_row(sig, c->row, out);
	if (c->partner != 0) {
		buf_printf(out, "  (renamed %s? ",
			   c->class == CHANGE_NEW ? "from" : "to");
		diffreport_row(sig, c->partner, out);
		buf_char(out, ')');
	}
	buf_char(out, '\n');
	buf_free(&change);
	buf_free(&interval);
}

static void
text_changes(const struct significance *sig, bool functions, struct buf *out)
{
	bool any = false;
	size_t i;

	for (i = 0; i < sig->nchange; i++) {
		if (is_function(sig, &sig->change[i]) != functions)
			continue;
		if (!any)
			buf_printf(out,
				   "class    change  interval          before  "
				   "after   %s\n",
				   functions ? "function" : "where");
		any = true;
		diffreport_line(sig, &sig->change[i], out);
	}
	if (any)
		buf_char(out, '\n');
}

/* The differences that are not significant. */
static void
text_largest(const struct significance *sig, struct buf *out)
{
	double before = sig->single.class.interrupt_share[BEFORE];
	double after = sig->single.class.interrupt_share[AFTER];
	size_t i;

	if (sig->nlargest > 0)
		buf_printf(out,
			   "largest differences, %s:\n"
			   "class    change  interval          before  after   "
			   "function\n",
			   sig->untested == NULL ? "not beyond noise" :
						   "not tested");
	for (i = 0; i < sig->nlargest; i++)
		diffreport_line(sig, &sig->largest[i], out);
	if (sig->nlargest > 0)
		buf_char(out, '\n');
	if (fmax(before, after) >= 0.001)
		buf_printf(out,
			   "system noise, not tested: interrupts and "
			   "scheduling, %.2g%% -> %.2g%%\n\n",
			   100 * before, 100 * after);
}

/* The minimum detectable effect, by share. */
static void
text_detectable(const struct significance *sig, struct buf *out)
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

		diffreport_ratio(&change, diffreport_detectable(sig, share[i]));
		buf_printf(out, " %7.*s", (int)change.len, change.p);
		buf_free(&change);
	}
	buf_char(out, '\n');
}

/* If no change is significant: how large one would have to be. */
static void
text_nothing(const struct significance *sig, struct buf *out)
{
	if (sig->nchange > 0)
		return;
	if (!sig->assumed) {
		buf_str(out, STR("nothing changed beyond noise\n\n"));
		return;
	}
	diffreport_nothing(sig, out);
	buf_str(out, STR("\n\n"));
}

/* Why more runs are needed. */
static void
text_doubt(const struct significance *sig, struct buf *out)
{
	const char *reason = doubt_reason(sig);

	if (reason != NULL)
		buf_printf(out, "record each side 3 times: %s\n\n", reason);
}

static void
report_text(const struct significance *sig, struct buf *out)
{
	if (sig->untested != NULL) {
		buf_printf(out, "not tested: %s\n", sig->untested);
		text_largest(sig, out);
		return;
	}
	text_head(sig, out);
	if (sig->nchange > 0 && sig->assumed)
		buf_str(out, STR("beyond noise:\n"));
	text_changes(sig, true, out);
	text_changes(sig, false, out);
	text_nothing(sig, out);
	if (sig->assumed) {
		text_largest(sig, out);
		text_doubt(sig, out);
	}
	if (!is_per_call(sig))
		text_detectable(sig, out);
}

/* JSON has no "inf": use null. */
static void
add_number(struct buf *out, double n, bool json)
{
	if (n < HUGE_VAL)
		buf_printf(out, "%.6g", n);
	else
		buf_str(out, json ? STR("null") : STR("inf"));
}

static void
report_tsv(const struct significance *sig, struct buf *out)
{
	size_t i, k;

	buf_str(out, STR("kind\tclass\tsamples_before\tsamples_after\t"
			 "share_before\tshare_after\tratio\tlo\thi\tp\tq\t"
			 "what\trenamed\n"));
	for (i = 0; i < sig->nchange; i++) {
		const struct change *c = &sig->change[i];
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
			   is_function(sig, c) ? "function" : "stack",
			   diffreport_class(c));
		for (k = 0; k < sizeof(number) / sizeof(*number); k++) {
			buf_char(out, '\t');
			add_number(out, number[k], false);
		}
		buf_char(out, '\t');
		diffreport_row(sig, c->row, out);
		buf_char(out, '\t');
		if (c->partner != 0)
			diffreport_row(sig, c->partner, out);
		buf_char(out, '\n');
	}
}

/* Names are valid UTF-8 without control characters. */
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
add_row(const struct significance *sig, const char *key, uint32_t row,
	struct buf *out)
{
	struct buf name = { 0 };

	diffreport_row(sig, row, &name);
	buf_printf(out, "\"%s\":", key);
	add_string(out, buf_slice(&name));
	buf_free(&name);
}

static void
json_change(const struct significance *sig, const struct change *c,
	    struct buf *out)
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
	add_row(sig, is_function(sig, c) ? "function" : "stack", c->row, out);
	buf_printf(out, ",\"class\":\"%s\"", diffreport_class(c));
	for (i = 0; i < sizeof(number) / sizeof(*number); i++) {
		buf_printf(out, ",\"%s\":", number[i].key);
		add_number(out, number[i].value, true);
	}
	if (c->partner != 0) {
		buf_char(out, ',');
		add_row(sig, "renamed", c->partner, out);
	}
	buf_char(out, '}');
}

/* The spreads that are assumed, and the measured part, or null. */
static void
json_assumed(const struct significance *sig, struct buf *out)
{
	const struct single_run *s = &sig->single;

	buf_printf(out,
		   ",\"dispersion\":{\"measured\":false,\"user\":%g,"
		   "\"kernel\":%g,\"jit\":%g,\"within\":",
		   s->user, SINGLE_RUN_KERNEL, SINGLE_RUN_JIT);
	if (s->blocks.measured)
		buf_printf(out, "%.4g}", s->typical);
	else
		buf_str(out, STR("null}"));
}

static void
json_head(const struct significance *sig, struct buf *out)
{
	const struct dispersion *d = &sig->dispersion;

	buf_printf(out, "\"runs\":[%zu,%zu],\"samples\":[%.0f,%.0f]",
		   count_runs(sig, BEFORE), count_runs(sig, AFTER),
		   total_samples(sig, BEFORE), total_samples(sig, AFTER));
	buf_str(out, STR(",\"norm\":"));
	add_string(out, str_of(norm_name(sig)));
	buf_printf(out, ",\"tests\":%zu,\"fdr\":%.6g", sig->ntests,
		   sig->option.fdr);
	if (sig->assumed)
		json_assumed(sig, out);
	else
		buf_printf(out,
			   ",\"dispersion\":{\"base\":%.4g,\"slope\":%.4g,"
			   "\"measured\":%s}",
			   fmax(d->base, d->floor), d->slope,
			   d->measured && !d->too_few ? "true" : "false");
	buf_printf(out, ",\"least\":{\"1%%\":%.4g,\"10%%\":%.4g}",
		   diffreport_detectable(sig, 0.01),
		   diffreport_detectable(sig, 0.1));
}

static void
json_list(const struct significance *sig, const char *key,
	  const struct change *list, size_t n, struct buf *out)
{
	size_t i;

	buf_printf(out, ",\"%s\":[", key);
	for (i = 0; i < n; i++) {
		buf_str(out, i > 0 ? STR(",\n") : STR("\n"));
		json_change(sig, &list[i], out);
	}
	buf_char(out, ']');
}

static void
report_json(const struct significance *sig, struct buf *out)
{
	buf_printf(out, "{\"tested\":%s,", sig->untested ? "false" : "true");
	if (sig->untested != NULL) {
		buf_str(out, STR("\"reason\":"));
		add_string(out, str_of(sig->untested));
	} else {
		json_head(sig, out);
	}
	json_list(sig, "changes", sig->change, sig->nchange, out);
	if (sig->assumed)
		json_list(sig, "largest", sig->largest, sig->nlargest, out);
	buf_str(out, STR("}\n"));
}

void
diffreport(const struct significance *sig, enum report kind, struct buf *out)
{
	if (kind == REPORT_TEXT)
		report_text(sig, out);
	else if (kind == REPORT_TSV)
		report_tsv(sig, out);
	else if (kind == REPORT_JSON)
		report_json(sig, out);
}
