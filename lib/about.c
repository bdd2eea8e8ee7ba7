/* about.c - what metadata and stacks say of a profile. */
#include "about.h"

#include "folded.h"
#include "utf8.h"

/* Samples behind the counts, or 0. */
static uint64_t
count_samples(const struct meta *m, const struct tree *t)
{
	uint64_t total = tree_total(t, 0, t->counts - 1).units, n;

	if (meta_u64(m, "n", &n))
		return n;
	if (str_eq(meta_get(m, "unit"), STR("samples")))
		return total;
	return meta_u64(m, "quantum", &n) && n > 0 ? total / n : 0;
}

/* Time is shown in ms, or s where there is much of it. */
static void
set_unit(const struct about *a, const struct tree *t, struct svg *s)
{
	static const struct {
		const char *unit;
		double second;
	} times[] = { { "ns", 1e9 }, { "us", 1e6 } };
	struct str unit = buf_slice(&a->unit);
	double total = count_double(tree_total(t, 0, t->counts - 1));
	bool given = s->number.unit.len > 0;
	size_t i;

	if (!given)
		s->number.unit = unit.len > 0 ? unit : STR("samples");
	for (i = 0; i < 2 && !given && s->number.factor == 1; i++) {
		if (!str_eq(unit, str_of(times[i].unit)))
			continue;
		s->number.unit = total < 10 * times[i].second ? STR("ms") :
								STR("s");
		s->number.factor = (total < 10 * times[i].second ? 1e3 : 1) /
				   times[i].second;
		s->number.decimals = 3;
	}
}

/* Whether a frame has no name: [unknown], [libc.so <7f12>]. */
static bool
is_nameless(struct str name)
{
	char suffix;

	name = frame_name(name, &suffix);
	return str_starts(name, STR("[")) && str_ends(name, STR("]")) &&
	       !str_eq(name, STR("[truncated]")) &&
	       !str_eq(name, STR("[moving]"));
}

/* What of a frame's count is of stacks whose leaf it is. */
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

/* Shares of the total whose callers are missing, or whose leaf has no name. */
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
		else if (is_nameless(name))
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
	static const struct svgtext_number whole = { .factor = 1 };

	if (n == 0)
		return;
	next_part(line);
	svgtext_count(line, &whole, count_of(n));
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

/* The event, how it was sampled, and what is missing. */
static void
add_line(struct buf *line, const struct meta *m, const struct tree *t,
	 const struct svg *s)
{
	struct shares shares = find_shares(t, s->reversed);
	uint64_t n;

	meta_decode(line, meta_get(m, "event"));
	if (meta_u64(m, "hz", &n))
		add_amount(line, n, "Hz");
	if (meta_ns(m, "dur", &n) && n > 0) {
		next_part(line);
		svgtext_number(line, (double)n / 1e9, 3);
		buf_str(line, STR(" s"));
	}
	add_amount(line, s->samples, "samples");
	if (meta_u64(m, "lost", &n))
		add_amount(line, n, "lost");
	add_share(line, shares.truncated, "truncated");
	add_share(line, shares.nameless, "without names");
}

void
about_set(struct about *a, const struct merge *merge, const struct tree *t,
	  struct svg *s)
{
	const struct meta *m = &merge->all;
	struct buf line = { 0 };

	meta_decode(&a->unit, meta_get(m, "unit"));
	set_unit(a, t, s);
	s->samples = count_samples(m, t);
	if (m->n > 0)
		add_line(&line, m, t, s);
	utf8_escape(&a->line, buf_slice(&line));
	s->about = buf_slice(&a->line);
	merge_print(merge, t->counts, &a->header);
	s->header = buf_slice(&a->header);
	if (str_ends(s->header, STR("\n")))
		s->header.len--;
	buf_free(&line);
}

void
about_free(struct about *a)
{
	buf_free(&a->unit);
	buf_free(&a->line);
	buf_free(&a->header);
}
