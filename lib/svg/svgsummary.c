/* svgsummary.c - the line about a profile that its picture shows. */
#include "svg/svgsummary.h"

#include "base/utf8.h"
#include "folded/folded.h"

/* What the counts of a finished tree show. */
static struct measure_evidence
find_evidence(const struct tree *t)
{
	struct measure_evidence e = { 0 };
	uint32_t i;
	int column;

	for (i = 1; i < t->n; i++) {
		for (column = 0; column < t->counts; column++)
			measure_add(&e, tree_self(t, i, column));
	}
	e.total = count_double(tree_total(t, 0, t->counts - 1));
	return e;
}

/* Print counts in their unit, and times in s or ms, unless the user chose. */
static void
set_unit(struct measure *m, double total, struct svg *s)
{
	struct label_number number = measure_number(m, total);

	if (s->number.unit.len > 0)
		return;
	if (s->number.factor == 1)
		s->number = number;
	else
		s->number.unit = buf_slice(&m->unit);
}

/* Self count of a frame. */
static struct count
leaf_count(const struct tree *t, uint32_t i, uint32_t depth, bool reversed)
{
	if (!reversed)
		return tree_self(t, i, t->counts - 1);
	return depth == 1 ? tree_total(t, i, t->counts - 1) : count_of(0);
}

struct shares {
	double truncated, nameless;
};

/* Shares of the total with missing callers, and with a nameless leaf. */
static struct shares
find_shares(const struct tree *t, bool reversed)
{
	struct shares s = { 0, 0 };
	double total = count_double(tree_total(t, 0, t->counts - 1));
	uint32_t i, depth = 0;
	struct str name;

	if (total == 0)
		return s;
	for (i = tree_next(t, 0, &depth); i != 0; i = tree_next(t, i, &depth)) {
		name = intern_name(t->names, t->node[i].name);
		if (str_eq(name, STR("[truncated]")))
			s.truncated += count_double(
			    tree_total(t, i, t->counts - 1));
		else if (folded_is_nameless(name))
			s.nameless += count_double(
			    leaf_count(t, i, depth, reversed));
	}
	s.truncated /= total;
	s.nameless /= total;
	return s;
}

static void
next_part(struct buf *line)
{
	if (line->len > 0)
		buf_str(line, STR(" \xc2\xb7 "));
}

static void
add_amount(struct buf *line, uint64_t n, const char *what)
{
	static const struct label_number whole = { .factor = 1 };

	if (n == 0)
		return;
	next_part(line);
	label_count(line, &whole, count_of(n));
	buf_printf(line, " %s", what);
}

static void
add_share(struct buf *line, double share, const char *what)
{
	if (share < 0.0005)
		return;
	next_part(line);
	buf_printf(line, "%.1f%% %s", 100 * share, what);
}

/* Append the event, its sampling rate, and the shares that are missing. */
static void
add_line(struct buf *line, const struct meta *m, struct measure *measure,
	 const struct tree *t, const struct svg *s)
{
	const double total = count_double(tree_total(t, 0, t->counts - 1));
	struct shares shares = find_shares(t, s->reversed);
	uint64_t n;

	meta_decode(line, meta_get(m, "event"));
	if (meta_u64(m, "hz", &n))
		add_amount(line, n, "Hz");
	if (meta_ns(m, "dur", &n) && n > 0) {
		next_part(line);
		label_number(line, (double)n / 1e9, 3);
		buf_str(line, STR(" s"));
	}
	if (str_eq(buf_slice(&measure->unit), STR("samples"))) {
		add_amount(line, s->samples, "samples");
	} else {
		next_part(line);
		measure_describe(measure, line, total);
	}
	if (meta_u64(m, "lost", &n))
		add_amount(line, n, "lost");
	add_share(line, shares.truncated, "truncated");
	add_share(line, shares.nameless, "without names");
}

void
svgsummary_set(struct svgsummary *a, const struct meta_merge *merge,
	       const struct tree *t, struct svg *s)
{
	const struct meta *m = &merge->all;
	const struct measure_evidence e = find_evidence(t);
	struct buf line = { 0 };

	measure_init(&a->measure, m, &e);
	set_unit(&a->measure, e.total, s);
	if (m->n > 0 || a->measure.quantum > 1)
		s->samples = (uint64_t)a->measure.samples;
	if (m->n > 0 || a->measure.quantum > 1)
		add_line(&line, m, &a->measure, t, s);
	utf8_escape(&a->line, buf_slice(&line));
	s->about = buf_slice(&a->line);
	meta_merge_print(merge, t->counts, &a->header);
	s->header = buf_slice(&a->header);
	if (str_ends(s->header, STR("\n")))
		s->header.len--;
	buf_free(&line);
}

struct str
svgsummary_title(const struct svg *s, const struct tree *t)
{
	if (s->chart)
		return STR("Flame Chart");
	if (t->counts == 2 && s->ratio == NULL)
		return STR("Flame Graph: before \xe2\x86\x92 after");
	return s->inverted && s->heat == NULL ? STR("Icicle Graph") :
						STR("Flame Graph");
}

void
svgsummary_free(struct svgsummary *a)
{
	measure_free(&a->measure);
	buf_free(&a->line);
	buf_free(&a->header);
}
