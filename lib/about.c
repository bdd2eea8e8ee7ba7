/* about.c - what metadata and stacks say of a profile. */
#include "about.h"

#include <err.h>
#include <inttypes.h>

/* Keep a text of the first header that has it; false if another differs. */
static bool
same_text(struct buf *kept, const struct meta *m, const char *key)
{
	struct buf value = { 0 };
	bool same = true;

	meta_decode(&value, meta_get(m, key));
	if (kept->len == 0)
		buf_str(kept, buf_slice(&value));
	else if (value.len > 0)
		same = str_eq(buf_slice(kept), buf_slice(&value));
	buf_free(&value);
	return same;
}

static void
add_number(uint64_t *sum, const struct meta *m, const char *key)
{
	uint64_t n;

	if (meta_u64(m, key, &n) && *sum <= UINT64_MAX - n)
		*sum += n;
}

/* Keep a number while all headers agree on it. */
static void
same_number(uint64_t *kept, const struct about *a, const struct meta *m,
	    const char *key)
{
	uint64_t n = 0;

	meta_u64(m, key, &n);
	*kept = a->headers == 0 || *kept == n ? n : 0;
}

void
about_header(struct about *a, const struct folded *f, const struct input *in)
{
	const struct meta *m = &f->header;
	struct str kind = meta_get(m, "kind");
	uint64_t dur;

	if (f->own.n > 0)
		return; /* of one stack only */
	if (a->headers > 0 && kind.len > 0 && !str_eq(kind, STR("delta")))
		errx(2, "%s:%" PRIu64 ": counts of kind %s cannot be added up",
		     in->name, in->line, kind.p);
	if (!same_text(&a->unit, m, "unit"))
		errx(2, "%s:%" PRIu64 ": unit %s, where others have %.*s",
		     in->name, in->line, meta_get(m, "unit").p,
		     (int)a->unit.len, a->unit.p);
	if (!same_text(&a->event, m, "event")) {
		a->event.len = 0;
		buf_str(&a->event, STR("several events"));
	}
	same_number(&a->quantum, a, m, "quantum");
	same_number(&a->hz, a, m, "hz");
	add_number(&a->n, m, "n");
	add_number(&a->lost, m, "lost");
	add_number(&a->broken, m, "broken");
	a->with_n += meta_has(m, "n");
	if (meta_ns(m, "dur", &dur) && a->dur <= UINT64_MAX - dur)
		a->dur += dur;
	a->headers++;
}

/* Samples behind the counts, or 0. */
static uint64_t
count_samples(const struct about *a, const struct tree *t)
{
	uint64_t total = tree_total(t, 0, t->counts - 1).units;

	if (a->headers == 0)
		return 0;
	if (a->with_n == a->headers)
		return a->n;
	if (str_eq(buf_slice(&a->unit), STR("samples")))
		return total;
	return a->quantum > 0 ? total / a->quantum : 0;
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

struct shares {
	double truncated, nameless;
};

/* Shares of the total whose callers are missing, or whose leaf has no name. */
static struct shares
find_shares(const struct tree *t)
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
			    tree_self(t, i, t->counts - 1));
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

void
about_finish(struct about *a, const struct tree *t, struct svg *s)
{
	struct shares shares;

	set_unit(a, t, s);
	s->samples = count_samples(a, t);
	if (a->headers == 0)
		return;
	shares = find_shares(t);
	buf_str(&a->line, buf_slice(&a->event));
	add_amount(&a->line, a->hz, "Hz");
	if (a->dur > 0) {
		next_part(&a->line);
		svgtext_number(&a->line, (double)a->dur / 1e9, 3);
		buf_str(&a->line, STR(" s"));
	}
	add_amount(&a->line, s->samples, "samples");
	add_amount(&a->line, a->lost, "lost");
	add_share(&a->line, shares.truncated, "truncated");
	add_share(&a->line, shares.nameless, "without names");
	s->about = buf_slice(&a->line);
}

void
about_free(struct about *a)
{
	buf_free(&a->unit);
	buf_free(&a->event);
	buf_free(&a->line);
}
