/* svgkeys.c - the entries of a legend: what each colour of a picture means. */
#include "svg/svgkeys.h"

#include "base/count.h"
#include "base/mem.h"
#include "palette/palfile.h"
#include "svg/diffcolour.h"

#include <inttypes.h>
#include <stdlib.h>

static struct svglegend_item *
add_item(struct svglegend *l, uint32_t key, struct str text)
{
	struct svglegend_item *item;

	l->item = mem_grow(l->item, &l->cap, l->n + 1, sizeof(*l->item));
	item = &l->item[l->n++];
	*item = (struct svglegend_item){ .key = key,
					 .diff = SVGKEYS_ANY_DIFF,
					 .is_shown = true };
	buf_str(&item->text, text);
	return item;
}

static void
add_colour(struct svglegend_item *item, uint32_t colour)
{
	item->colour = mem_grow(item->colour, &item->colour_cap,
				item->ncolours + 1, sizeof(*item->colour));
	item->colour[item->ncolours++] = colour;
}

uint32_t
svgkeys_of_class(const struct svgnames *names, uint32_t colour)
{
	size_t class = names->class[colour];

	if (class == SVGNAMES_ROOT)
		return SVGKEYS_NONE;
	if (class == PALETTE_MAPPED)
		return (uint32_t)names->file->nclass + 1;
	if (class == PALETTE_NO_RULE)
		return (uint32_t)names->file->nclass;
	return (uint32_t) class;
}

/* The key of a colour of a diff. */
static uint32_t
diff_key(int diff, uint32_t colour)
{
	uint32_t by = colour > DIFF_SAME ? colour - DIFF_SAME :
					   DIFF_SAME - colour;

	if (diff == SVG_DIFF_JUDGED)
		return by == 0           ? SVGKEYS_GREY :
		       by >= DIFF_STRONG ? SVGKEYS_STRONG :
		       by == DIFF_PALE   ? SVGKEYS_PALE :
					   SVGKEYS_NONE;
	return by == 0            ? SVGKEYS_SAME :
	       colour > DIFF_SAME ? SVGKEYS_MORE :
				    SVGKEYS_LESS;
}

/* The self count of a frame, in a reversed tree that of its function. */
static double
self_of(const struct svgdraw *d, uint32_t i, uint32_t depth)
{
	const struct tree *t = d->tree;

	if (!d->svg->reversed)
		return count_double(tree_self(t, i, t->counts - 1));
	return depth > 1 ? 0 : count_double(tree_total(t, i, t->counts - 1));
}

/* Add the self counts of all frames by key. */
static void
add_shares(struct svglegend *l, const struct svgdraw *d)
{
	const struct tree *t = d->tree;
	double *sum = mem_zero(d->names->ncolours, sizeof(*sum));
	uint32_t i, depth = 0, key;
	size_t k;

	for (i = tree_next(t, 0, &depth); i != 0; i = tree_next(t, i, &depth))
		sum[svgdraw_shade(d, i)] += self_of(d, i, depth);
	for (i = 0; i < d->names->ncolours; i++) {
		key = svgkeys_of_class(d->names, i);
		for (k = 0; k < l->n; k++) {
			if (l->item[k].key == key && d->total > 0)
				l->item[k].share += sum[i] / d->total;
		}
	}
	free(sum);
}

/* True for the frames between stacks, which are no class of frames. */
static bool is_separator(struct str class)
{
	return str_eq(class, STR("separator")) || str_eq(class, STR("gap"));
}

/* True if rules give more than one class. */
static bool
has_classes(const struct palfile *p)
{
	size_t i, first = p->nclass;

	for (i = 0; i < p->nrule; i++) {
		if (is_separator(p->class[p->rule[i].class].name))
			continue;
		if (first < p->nclass && p->rule[i].class != first)
			return true;
		first = p->rule[i].class;
	}
	return false;
}

static struct svglegend_item *
add_class(struct svglegend *l, const struct palfile *p, uint32_t key)
{
	const struct palfile_class *c = &p->class[key];
	struct svglegend_item *item;
	size_t i;

	if (key == p->nclass)
		return add_item(l, key, STR("other"));
	if (key > p->nclass)
		return add_item(l, key, STR("palette.map"));
	item = add_item(l, key, c->label.len > 0 ? c->label : c->name);
	for (i = 0; i < item->text.len && c->label.len > 0; i++) {
		if (item->text.p[i] == '_')
			item->text.p[i] = ' ';
	}
	return item;
}

/* Add the classes that frames of the picture have, in the palette's order. */
static void
add_classes(struct svglegend *l, const struct svgnames *names)
{
	struct svglegend_item *item;
	uint32_t i, key;

	if (names->file == NULL || !has_classes(names->file))
		return;
	for (key = 0; key <= names->file->nclass + 1; key++) {
		item = NULL;
		for (i = 0; i < names->ncolours; i++) {
			if (svgkeys_of_class(names, i) != key)
				continue;
			if (item == NULL)
				item = add_class(l, names->file, key);
			add_colour(item, i);
		}
	}
}

/* Append one assumption: "user:0.03" is "user code 3 %". */
static void
add_assumption(struct buf *out, struct str one)
{
	struct str name = str_cut(&one, ':');
	struct count n;

	if (count_parse(one, &n) != COUNT_OK)
		return;
	if (str_eq(name, STR("phi")))
		buf_printf(out, "dispersion %g", count_double(n));
	else
		buf_printf(out, "%.*s code %g %%", (int)name.len, name.p,
			   100 * count_double(n));
}

/* Append how much runs differ, as the profile's metadata have it. */
static void
add_spread(struct buf *out, struct str assumed)
{
	size_t start;

	buf_str(out, STR("spread between runs, assumed and not measured: "));
	while (assumed.len > 0) {
		start = out->len;
		add_assumption(out, str_cut(&assumed, ','));
		if (out->len > start && assumed.len > 0)
			buf_str(out, STR(", "));
	}
}

/*
 * Append how many of the changes beyond noise are expected to be chance: the
 * largest q of them, which is the rate of false discoveries.
 */
static void
add_rate(struct buf *out, const struct verdicts *v)
{
	double q, most = -1;
	char text[32];
	size_t i;

	for (i = 0; i < v->n; i++) {
		const struct str s = v->verdict[i].q;

		if (verdict_is_weak(&v->verdict[i]) || s.len == 0 ||
		    s.len >= sizeof(text))
			continue;
		memcpy(text, s.p, s.len);
		text[s.len] = '\0';
		q = strtod(text, NULL);
		most = q > most && q <= 1 ? q : most;
	}
	if (most >= 0 && most < 0.0001)
		buf_str(out, STR("; of the strong ones fewer than 0.01 % may "
				 "be chance"));
	else if (most >= 0)
		buf_printf(out,
			   "; of the strong ones up to %.2g %% may be chance",
			   100 * most);
}

static void
add_diff_item(struct svglegend *l, const struct svgdraw *d, int diff,
	      uint32_t key, struct str text)
{
	struct svglegend_item *item = add_item(l, key, text);
	uint32_t i;

	item->diff = diff;
	item->is_shown = diff == SVGKEYS_ANY_DIFF || (int)d->svg->diff == diff;
	for (i = 0; i < d->names->ncolours && key != SVGKEYS_NONE; i++) {
		if (diff_key(key >= SVGKEYS_LESS ? SVG_DIFF_TOTAL :
						   SVG_DIFF_JUDGED,
			     i) == key)
			add_colour(item, i);
	}
}

static void
add_tested(struct svglegend *l, const struct svgdraw *d)
{
	const struct verdicts *v = d->svg->verdicts;
	struct buf note = { 0 };

	if (v->any_tested)
		add_diff_item(l, d, SVG_DIFF_JUDGED, SVGKEYS_STRONG,
			      STR("strong: beyond noise"));
	add_diff_item(l, d, SVG_DIFF_JUDGED, SVGKEYS_PALE,
		      v->any_tested ? STR("pale: among the largest, "
					  "not beyond noise") :
				      STR("pale: among the largest "
					  "differences"));
	add_diff_item(l, d, SVG_DIFF_JUDGED, SVGKEYS_GREY,
		      STR("grey: the rest"));
	if (!v->any_tested)
		buf_str(&note, STR("not tested: each of them may be chance"));
	if (!v->any_tested && v->assumed.len > 0)
		buf_str(&note, STR("; "));
	if (v->assumed.len > 0)
		add_spread(&note, v->assumed);
	else if (v->any_tested)
		buf_str(&note, STR("spread between runs: measured"));
	if (v->any_tested)
		add_rate(&note, v);
	if (note.len > 0)
		add_diff_item(l, d, SVG_DIFF_JUDGED, SVGKEYS_NONE,
			      buf_slice(&note));
	buf_free(&note);
}

static void
add_untested(struct svglegend *l, const struct svgdraw *d, int diff,
	     struct str note)
{
	bool negate = d->svg->negate;

	add_diff_item(l, d, diff, SVGKEYS_LESS,
		      negate ? STR("blue: more") : STR("blue: less"));
	add_diff_item(l, d, diff, SVGKEYS_SAME, STR("grey: no change"));
	add_diff_item(l, d, diff, SVGKEYS_MORE,
		      negate ? STR("red: less") : STR("red: more"));
	add_diff_item(l, d, diff, SVGKEYS_NONE, note);
}

/* Append a note on the topmost frames that are gone, which have no width. */
static void
add_gone(struct svglegend *l, const struct svgdraw *d)
{
	const struct tree *t = d->tree;
	double before = count_double(tree_total(t, 0, 0)), sum = 0;
	uint32_t i, frames = 0, depth = 0;
	struct buf note = { 0 };

	for (i = tree_next(t, 0, &depth); i != 0;) {
		if (!count_iszero(tree_total(t, i, 1)) ||
		    count_iszero(tree_total(t, i, 0))) {
			i = tree_next(t, i, &depth);
			continue;
		}
		frames++;
		sum += count_double(tree_total(t, i, 0));
		i = tree_skip(t, i, &depth);
	}
	if (frames > 0) {
		buf_printf(&note,
			   "gone: %" PRIu32 " frame%s with what %s, "
			   "%.2f%% of the counts before",
			   frames, str_plural(frames, "", "s"),
			   str_plural(frames, "it called", "they called"),
			   100 * sum / before);
		add_diff_item(l, d, SVGKEYS_ANY_DIFF, SVGKEYS_NONE,
			      buf_slice(&note));
	}
	buf_free(&note);
}

static void
add_diffs(struct svglegend *l, const struct svgdraw *d)
{
	if (d->svg->verdicts != NULL)
		add_tested(l, d);
	add_untested(l, d, SVG_DIFF_SELF,
		     STR("pale to strong: the size of the change of own "
			 "counts; not tested, so it may be chance"));
	add_untested(l, d, SVG_DIFF_TOTAL,
		     STR("pale to strong: the size of the change of total "
			 "counts; not tested, so it may be chance"));
	add_gone(l, d);
}

/* Colours of a ratio: below, near and above that of all counts. */
static void
add_ratios(struct svglegend *l, const struct svgdraw *d)
{
	const struct svgratio *r = d->svg->ratio;
	const bool negate = d->svg->negate;
	struct buf text = { 0 };

	if (r->whole <= 0) {
		buf_printf(&text, "grey: all, as no %.*s were counted",
			   (int)r->over.len, r->over.p);
		add_diff_item(l, d, SVG_DIFF_RATIO, SVGKEYS_SAME,
			      buf_slice(&text));
		buf_free(&text);
		return;
	}
	add_diff_item(l, d, SVG_DIFF_RATIO, SVGKEYS_LESS,
		      negate ? STR("blue: more") : STR("blue: less"));
	buf_printf(&text, "grey: about %.*f ", r->places, r->whole);
	buf_str(&text, buf_slice(&r->unit));
	buf_str(&text, STR(", as in all"));
	add_diff_item(l, d, SVG_DIFF_RATIO, SVGKEYS_SAME, buf_slice(&text));
	add_diff_item(l, d, SVG_DIFF_RATIO, SVGKEYS_MORE,
		      negate ? STR("red: less") : STR("red: more"));
	buf_free(&text);
}

void
svgkeys_find(struct svglegend *l, const struct svgdraw *d)
{
	if (d->svg->diff == SVG_DIFF_RATIO)
		add_ratios(l, d);
	else if (d->tree->counts == 2)
		add_diffs(l, d);
	else
		add_classes(l, d->names);
	if (l->n > 0 && d->tree->counts == 1)
		add_shares(l, d);
}
