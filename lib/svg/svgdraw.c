/* svgdraw.c - the static drawing of a picture. */
#include "svg/svgdraw.h"

#include "base/mem.h"
#include "svg/diffcolour.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* A frame too narrow for an element of its own. */
struct svgdraw_sliver {
	uint32_t row, colour;
	double x, width; /* px */
};

/* Position of a frame. */
struct svgdraw_box {
	uint32_t i, depth;
	double x, width; /* counts */
};

/* Position of the next frame of a depth, in counts. */
struct svgdraw_column {
	double x, lead; /* lead: its caller's self count to the left of it */
};

/* A walk over the frames that are wide enough to draw. */
struct svgdraw_walk {
	struct svgdraw_box box;
	double min;                  /* counts */
	struct svgdraw_column *left; /* one for each depth */
	size_t cap;
};

static int
last_column(const struct tree *t)
{
	return t->counts - 1;
}

/* Width of the narrowest frame to draw, in counts. */
static double
min_width(const struct svgdraw *d)
{
	if (d->svg->min_percent)
		return d->total * d->svg->min_width / 100;
	return d->total * d->svg->min_width / d->inner;
}

/* Place a frame after its siblings, and set the cursor for its callees. */
static void
place_box(const struct tree *t, struct svgdraw_walk *w)
{
	struct svgdraw_box *b = &w->box;
	struct svgdraw_column *left = &w->left[b->depth];
	double lead = count_double(tree_lead(t, b->i)), self = 0;

	if (lead > left->lead) {
		left->x += lead - left->lead;
		left->lead = lead;
	}
	b->x = left->x;
	b->width = count_double(tree_total(t, b->i, last_column(t)));
	left->x += b->width;
	if (t->lead == NULL)
		self = count_double(tree_self(t, b->i, last_column(t)));
	left[1] = (struct svgdraw_column){ b->x + self, 0 };
}

/* The next frame that is wide enough.  Zero all of w but min at first. */
static bool
walk_next(const struct svgdraw *d, struct svgdraw_walk *w)
{
	const struct tree *t = d->tree;
	struct svgdraw_box *b = &w->box;
	bool first = w->cap == 0, narrow = false;

	do {
		if (!first)
			b->i = narrow ? tree_skip(t, b->i, &b->depth) :
					tree_next(t, b->i, &b->depth);
		if (!first && b->i == 0)
			return false;
		w->left = mem_grow(w->left, &w->cap, (size_t)b->depth + 2,
				   sizeof(*w->left));
		if (first)
			w->left[0] = (struct svgdraw_column){ 0, 0 };
		place_box(t, w);
		narrow = b->width < w->min || b->width <= 0;
	} while (narrow && !first);
	if (first && d->total > 0)
		b->width = d->total;
	return true;
}

void
svgdraw_measure(struct svgdraw *d)
{
	struct svgdraw_walk w = { .min = min_width(d) };

	d->rows = 1;
	while (walk_next(d, &w)) {
		if (w.box.depth >= d->rows)
			d->rows = w.box.depth + 1;
	}
	free(w.left);
}

/* Change of a frame: of its self count or of its total. */
static double
change(const struct svg *s, const struct tree *t, uint32_t i)
{
	struct count before, after;
	double by;

	/* In a reversed tree the totals are self counts of the leaf. */
	if (s->diff == SVG_DIFF_SELF && !s->reversed) {
		before = tree_self(t, i, 0);
		after = tree_self(t, i, 1);
	} else {
		before = tree_total(t, i, 0);
		after = tree_total(t, i, 1);
	}
	/* Avoid negative zero, which would print as "-0.00". */
	by = count_double(after) - count_double(before);
	return s->negate ? 0 - by : by;
}

/* The change that colour and text show. */
static double
seen_change(const struct svg *s, const struct tree *t, uint32_t i)
{
	if (s->diff == SVG_DIFF_JUDGED && verdict_get(s->verdicts, i) == NULL)
		return 0;
	return change(s, t, i);
}

double
svgdraw_max_change(const struct svg *s, const struct tree *t)
{
	double by, max = 0;
	uint32_t i, depth = 0;

	if (t->counts < 2 || s->diff == SVG_DIFF_RATIO)
		return 0;
	for (i = tree_next(t, 0, &depth); i != 0; i = tree_next(t, i, &depth)) {
		by = fabs(seen_change(s, t, i));
		max = by > max ? by : max;
	}
	return max;
}

/* True if a frame is only before or only after. */
static bool
is_one_sided(const struct svgdraw *d, uint32_t i)
{
	const struct tree *t = d->tree;

	return t->counts == 2 && d->svg->diff != SVG_DIFF_RATIO &&
	       (count_iszero(tree_total(t, i, 0)) ||
		count_iszero(tree_total(t, i, 1)));
}

/* The colour of a frame where folddiff(1) tested the changes. */
static uint32_t
tested_colour(const struct svgdraw *d, uint32_t i)
{
	const struct verdict *v = verdict_get(d->svg->verdicts, i);

	if (v == NULL)
		return DIFF_SAME;
	return diffcolour_tested_step(change(d->svg, d->tree, i), d->max_change,
				      verdict_is_weak(v));
}

uint32_t
svgdraw_shade(const struct svgdraw *d, uint32_t i)
{
	if (i == 0)
		return d->names->root;
	if (d->tree->counts == 2 && d->svg->diff == SVG_DIFF_JUDGED)
		return tested_colour(d, i);
	if (d->svg->diff == SVG_DIFF_RATIO)
		return svgratio_step(d->svg->ratio, d->tree, i, d->svg->negate);
	if (d->tree->counts == 2)
		return diffcolour_step(seen_change(d->svg, d->tree, i),
				       d->max_change);
	return d->names->shade[d->names->place[d->tree->node[i].name]];
}

static struct str
name_of(const struct svgdraw *d, uint32_t i)
{
	return i == 0 ? STR("all") :
			intern_name(d->tree->names, d->tree->node[i].name);
}

void
svgdraw_colour(struct buf *out, uint32_t rgb)
{
	buf_printf(out, "#%06" PRIx32, rgb);
}

/* Top of a row, relative to the outer edge of the root. */
static double
row_y(const struct svgdraw *d, uint32_t row)
{
	double height = d->svg->frame_height;

	return d->svg->inverted ? row * height : -(row + 1.0) * height;
}

static void
add_ratio(struct svgdraw *d, uint32_t i)
{
	buf_str(d->out, STR("; "));
	svgratio_print(d->svg->ratio, d->tree, i, d->out);
	buf_char(d->out, ' ');
	label_escape(d->out, buf_slice(&d->svg->ratio->unit));
}

/* The change of a frame in a diff. */
static void
add_change(struct svgdraw *d, uint32_t i, double all)
{
	double by = 100 * change(d->svg, d->tree, i) / all;

	buf_printf(d->out, by > 0 ? "; +%.2f%%" : "; %.2f%%", by);
}

/* " (12 samples, 3.45%)", with the change in a diff, or the ratio. */
static void
add_numbers(struct svgdraw *d, const struct svgdraw_box *b)
{
	const struct tree *t = d->tree;
	struct count n = tree_total(t, b->i, last_column(t));
	double all = d->total > 0 ? d->total : 1;

	if (b->i == 0 && !count_iszero(d->svg->total))
		n = d->svg->total;
	buf_str(d->out, STR(" ("));
	label_count(d->out, &d->svg->number, n);
	buf_char(d->out, ' ');
	label_escape(d->out, d->svg->number.unit);
	if (b->i == 0)
		buf_str(d->out, STR(", 100%"));
	else
		buf_printf(d->out, ", %.2f%%", 100 * b->width / all);
	if (d->svg->diff == SVG_DIFF_RATIO)
		add_ratio(d, b->i);
	else if (t->counts == 2 && b->i != 0)
		add_change(d, b->i, all);
	buf_char(d->out, ')');
}

/* Append text in a frame that starts, or ends, at x. */
static void
add_text(struct svgdraw *d, const struct svgdraw_box *b, double x, bool to_left,
	 uint32_t colour, struct str text)
{
	const struct svg *s = d->svg;
	double y = row_y(d, b->depth) + s->frame_height / 2.0 +
		   s->font_size * 0.33;

	buf_str(d->out, STR("<text x=\""));
	label_number(d->out, 100 * x, 3);
	buf_str(d->out, STR("%\" y=\""));
	label_number(d->out, y, 1);
	buf_char(d->out, '"');
	if (to_left)
		buf_str(d->out, STR(" text-anchor=\"end\""));
	if (!palette_wants_black(d->names->colour[colour].light))
		buf_str(d->out, STR(" fill=\"#fff\""));
	buf_char(d->out, '>');
	label_escape(d->out, text);
	buf_str(d->out, STR("</text>"));
}

/* Append what a frame has at its right: a change, "+3.2%", or its ratio. */
static void
add_aside(const struct svgdraw *d, const struct svgdraw_box *b, struct buf *out)
{
	double by;

	if (d->tree->counts < 2 || b->i == 0)
		return;
	if (d->svg->diff == SVG_DIFF_RATIO) {
		svgratio_print(d->svg->ratio, d->tree, b->i, out);
		return;
	}
	by = 100 * seen_change(d->svg, d->tree, b->i) / d->total;
	if (fabs(by) >= 0.05)
		buf_printf(out, "%+.1f%%", by);
}

/* Append the name, cut to fit, and in a diff the change at the right, or the
 * ratio. */
static void
add_label(struct svgdraw *d, const struct svgdraw_box *b, uint32_t colour)
{
	double px = b->width / d->total * d->inner, pad = 3 / d->inner;
	double room = (px - 6) / (d->svg->font_size * d->svg->font_width);
	double x = b->x / d->total;
	struct buf by = { 0 };
	size_t n, cells = room < 3 ? 0 : (size_t)room;

	add_aside(d, b, &by);
	n = by.len;
	if (cells < n + 4)
		n = 0;
	label_cut(&d->label, buf_slice(&d->name),
		  n > 0 ? cells - n - 1 : cells);
	if (d->label.len > 0)
		add_text(d, b, x + pad, false, colour, buf_slice(&d->label));
	if (n > 0)
		add_text(d, b, x + b->width / d->total - pad, true, colour,
			 buf_slice(&by));
	buf_free(&by);
}

static void
add_rect(struct svgdraw *d, const struct svgdraw_box *b, uint32_t colour)
{
	double total = d->total > 0 ? d->total : 1;

	buf_str(d->out, STR("<rect x=\""));
	label_number(d->out, 100 * b->x / total, 4);
	buf_str(d->out, STR("%\" y=\""));
	label_number(d->out, row_y(d, b->depth), 0);
	buf_str(d->out, STR("\" width=\""));
	label_number(d->out, 100 * b->width / total, 4);
	buf_printf(d->out, "%%\" height=\"%d\" fill=\"",
		   d->svg->frame_height > 1 ? d->svg->frame_height - 1 : 1);
	svgdraw_colour(d->out, d->names->colour[colour].light);
	buf_str(d->out, STR("\"/>"));
}

static void
add_frame(struct svgdraw *d, const struct svgdraw_box *b)
{
	uint32_t colour = svgdraw_shade(d, b->i);
	struct str raw = name_of(d, b->i);
	const struct attributes *attr;
	struct buf class = { 0 };

	d->name.len = d->label.len = 0;
	label_name(&d->name, raw);
	attr = b->i == 0 ? NULL : nameattr_get(d->svg->attr, raw);
	buf_printf(&class, "c%" PRIu32 "%s", colour,
		   is_one_sided(d, b->i) ? " one" : "");
	nameattr_open(d->out, attr, buf_slice(&class));
	buf_free(&class);
	buf_str(d->out, STR("<title>"));
	if (attr != NULL && attr->title.len > 0) {
		label_escape(d->out, attr->title);
	} else {
		label_escape(d->out, buf_slice(&d->name));
		add_numbers(d, b);
	}
	buf_str(d->out, STR("</title>"));
	add_rect(d, b, colour);
	if (d->total > 0)
		add_label(d, b, colour);
	nameattr_close(d->out, attr);
}

static void
keep_sliver(struct svgdraw *d, const struct svgdraw_box *b)
{
	double scale = d->inner / d->total;

	d->sliver = mem_grow(d->sliver, &d->sliver_cap, d->nslivers + 1,
			     sizeof(*d->sliver));
	d->sliver[d->nslivers++] = (struct svgdraw_sliver){
		b->depth, svgdraw_shade(d, b->i), b->x * scale, b->width * scale
	};
}

static int
by_row_and_colour(const void *a, const void *b)
{
	const struct svgdraw_sliver *x = a, *y = b;

	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	if (x->colour != y->colour)
		return x->colour < y->colour ? -1 : 1;
	return (x->x > y->x) - (x->x < y->x);
}

/* Append one path for the slivers of a row and colour, starting at s. */
static const struct svgdraw_sliver *
add_path(struct svgdraw *d, const struct svgdraw_sliver *s,
	 const struct svgdraw_sliver *end)
{
	const struct svgdraw_sliver *first = s;
	int height = d->svg->frame_height > 1 ? d->svg->frame_height - 1 : 1;

	buf_printf(d->out, "<path class=\"c%" PRIu32 "\" fill=\"", s->colour);
	svgdraw_colour(d->out, d->names->colour[s->colour].light);
	buf_str(d->out, STR("\" d=\""));
	for (; s < end && s->row == first->row && s->colour == first->colour;
	     s++) {
		buf_char(d->out, 'M');
		label_number(d->out, s->x, 2);
		buf_char(d->out, ' ');
		label_number(d->out, row_y(d, s->row), 0);
		buf_char(d->out, 'h');
		label_number(d->out, s->width, 2);
		buf_printf(d->out, "v%dh-", height);
		label_number(d->out, s->width, 2);
		buf_char(d->out, 'z');
	}
	buf_str(d->out, STR("\"/>\n"));
	return s;
}

static void
add_slivers(struct svgdraw *d)
{
	const struct svgdraw_sliver *s = d->sliver, *end;

	if (d->nslivers == 0)
		return;
	end = s + d->nslivers;
	qsort(d->sliver, d->nslivers, sizeof(*d->sliver), by_row_and_colour);
	buf_str(d->out, STR("<g data-fg=\"slivers\" aria-hidden=\"true\">\n"));
	while (s < end)
		s = add_path(d, s, end);
	buf_str(d->out, STR("</g>\n"));
}

void
svgdraw_frames(struct svgdraw *d)
{
	struct svgdraw_walk w = { .min = min_width(d) };

	while (walk_next(d, &w)) {
		if (w.box.i == 0 ||
		    w.box.width / d->total * d->inner >= SVG_NARROW)
			add_frame(d, &w.box);
		else
			keep_sliver(d, &w.box);
	}
	add_slivers(d);
	free(w.left);
	free(d->sliver);
	buf_free(&d->name);
	buf_free(&d->label);
}
