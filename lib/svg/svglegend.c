/* svglegend.c - what the colours of a picture mean. */
#include "svg/svglegend.h"

#include "base/count.h"
#include "base/hash.h"
#include "base/mem.h"
#include "palette/palfile.h"
#include "svg/diffcolour.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* Key of an item without colours, and of colours without an item. */
#define NO_KEY UINT32_MAX

/* A swatch shows this many of a class's colours, each CELL px wide. */
#define CELLS 3
#define CELL 5

/* Space between a swatch and its text, and between entries, px. */
#define GAP 6
#define BETWEEN 18

/* Mean width of a character, and height of a line, in font sizes. */
#define CHARACTER 0.56
#define LINE 1.6

/* Keys of a diff: of tested changes, and of any. */
enum { STRONG, PALE, GREY, LESS, SAME, MORE, DIFF_KEYS };

/* Not one of enum svg_diff: the item is for all of them. */
#define ANY_DIFF (-1)

struct svglegend_item {
	struct buf text; /* a note has lines, with LF between them */
	uint32_t key;    /* NO_KEY: a note */
	uint32_t *colour;
	size_t ncolours, colour_cap;
	double share; /* of all counts, those of the frames themselves */
	int diff;     /* for this enum svg_diff, or ANY_DIFF */
	bool is_shown;
	double x, y, width; /* px */
};

static struct svglegend_item *
add_item(struct svglegend *l, uint32_t key, struct str text)
{
	struct svglegend_item *item;

	l->item = mem_grow(l->item, &l->cap, l->n + 1, sizeof(*l->item));
	item = &l->item[l->n++];
	*item = (struct svglegend_item){ .key = key,
					 .diff = ANY_DIFF,
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

/* The key of a colour, where the palette's classes are the keys. */
static uint32_t
class_key(const struct svgnames *names, uint32_t colour)
{
	size_t class = names->class[colour];

	if (class == SVGNAMES_ROOT)
		return NO_KEY;
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
		return by == 0           ? GREY :
		       by >= DIFF_STRONG ? STRONG :
		       by == DIFF_PALE   ? PALE :
					   NO_KEY;
	return by == 0 ? SAME : colour > DIFF_SAME ? MORE : LESS;
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
		key = class_key(d->names, i);
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
			if (class_key(names, i) != key)
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
	if (most >= 0)
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
	item->is_shown = diff == ANY_DIFF || (int)d->svg->diff == diff;
	for (i = 0; i < d->names->ncolours && key != NO_KEY; i++) {
		if (diff_key(key >= LESS ? SVG_DIFF_TOTAL : SVG_DIFF_JUDGED,
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
		add_diff_item(l, d, SVG_DIFF_JUDGED, STRONG,
			      STR("strong: beyond noise"));
	add_diff_item(l, d, SVG_DIFF_JUDGED, PALE,
		      v->any_tested ? STR("pale: among the largest, "
					  "not beyond noise") :
				      STR("pale: among the largest "
					  "differences"));
	add_diff_item(l, d, SVG_DIFF_JUDGED, GREY, STR("grey: the rest"));
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
		add_diff_item(l, d, SVG_DIFF_JUDGED, NO_KEY, buf_slice(&note));
	buf_free(&note);
}

static void
add_untested(struct svglegend *l, const struct svgdraw *d, int diff,
	     struct str note)
{
	bool negate = d->svg->negate;

	add_diff_item(l, d, diff, LESS,
		      negate ? STR("blue: more") : STR("blue: less"));
	add_diff_item(l, d, diff, SAME, STR("grey: no change"));
	add_diff_item(l, d, diff, MORE,
		      negate ? STR("red: less") : STR("red: more"));
	add_diff_item(l, d, diff, NO_KEY, note);
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
}

static double
line_height(const struct svgdraw *d)
{
	return floor(d->svg->font_size * LINE);
}

static double
text_width(const struct svgdraw *d, size_t characters)
{
	return (double)characters * d->svg->font_size * CHARACTER;
}

/* Break the text of a note where a line is full. */
static size_t
break_lines(const struct svgdraw *d, struct buf *text)
{
	size_t i, start = 0, blank = 0, lines = 1;

	for (i = 0; i < text->len; i++) {
		if (text->p[i] == ' ')
			blank = i;
		if (text_width(d, i - start) > d->inner && blank > start) {
			text->p[blank] = '\n';
			start = blank + 1;
			lines++;
		}
	}
	return lines;
}

/* Centre the items from first up to end, which share a line. */
static void
centre(const struct svgdraw *d, struct svglegend_item *first,
       const struct svglegend_item *end, double wide)
{
	double x = (d->width - wide + BETWEEN) / 2;

	for (; first < end; first++) {
		if (!first->is_shown)
			continue;
		first->x = x < SVG_PAD ? SVG_PAD : x;
		x += first->width;
	}
}

/* Place the items in lines, and find out how high they are. */
static void
place(struct svglegend *l, const struct svgdraw *d)
{
	struct svglegend_item *item, *first = l->item, *end = first + l->n;
	double wide = 0, y = 0, line = line_height(d);
	size_t lines;

	for (item = l->item; item < end; item++) {
		lines = item->key == NO_KEY ? break_lines(d, &item->text) : 1;
		item->width = CELLS * CELL + GAP + BETWEEN +
			      text_width(d, item->text.len + 6);
		if (!item->is_shown)
			continue;
		if (wide > 0 &&
		    (item->key == NO_KEY || wide + item->width > d->inner)) {
			centre(d, first, item, wide);
			first = item;
			wide = 0;
			y += line;
		}
		item->y = y;
		wide += item->width;
		if (item->key == NO_KEY) {
			y += (double)lines * line;
			first = item + 1;
			wide = 0;
		}
	}
	centre(d, first, end, wide);
	l->height = y + (wide > 0 ? line : 0);
}

void
svglegend_init(struct svglegend *l, const struct svgdraw *d)
{
	*l = (struct svglegend){ 0 };
	if (d->total <= 0)
		return;
	if (d->tree->counts == 2)
		add_diffs(l, d);
	else
		add_classes(l, d->names);
	if (l->n == 0)
		return;
	if (d->tree->counts == 1)
		add_shares(l, d);
	place(l, d);
}

void
svglegend_free(struct svglegend *l)
{
	size_t i;

	for (i = 0; i < l->n; i++) {
		buf_free(&l->item[i].text);
		free(l->item[i].colour);
	}
	free(l->item);
	*l = (struct svglegend){ 0 };
}

/* Append some of an item's colours, the first and the last among them. */
static void
draw_swatch(const struct svgdraw *d, const struct svglegend_item *item)
{
	size_t cell, at;

	for (cell = 0; cell < CELLS; cell++) {
		at = cell * (item->ncolours - 1) / (CELLS - 1);
		buf_printf(d->out,
			   "<g class=\"c%" PRIu32 "\"><rect x=\"%zu\" "
			   "y=\"-10\" width=\"%d\" height=\"12\" fill=\"",
			   item->colour[at], cell * CELL, CELL);
		svgdraw_colour(d->out,
			       d->names->colour[item->colour[at]].light);
		buf_str(d->out, STR("\"/></g>"));
	}
}

static void
draw_note(const struct svgdraw *d, const struct svglegend_item *item)
{
	struct str text = buf_slice(&item->text);
	double y = 0;

	buf_str(d->out, STR("<text class=\"pale\" text-anchor=\"middle\" "
			    "fill=\"#555\">"));
	while (text.len > 0) {
		buf_printf(d->out, "<tspan x=\"0\" y=\"%g\">", y);
		label_escape(d->out, str_cut(&text, '\n'));
		buf_str(d->out, STR("</tspan>"));
		y += line_height(d);
	}
	buf_str(d->out, STR("</text>"));
}

static void
draw_entry(const struct svgdraw *d, const struct svglegend_item *item)
{
	/* The whole entry is under the pointer, not its letters alone. */
	buf_printf(d->out,
		   "<rect x=\"-4\" y=\"-13\" width=\"%g\" height=\"18\" "
		   "fill=\"none\" pointer-events=\"all\"/>",
		   item->width - BETWEEN + 8);
	draw_swatch(d, item);
	buf_printf(d->out, "<text class=\"pale\" x=\"%d\" fill=\"#555\">",
		   CELLS * CELL + GAP);
	label_escape(d->out, buf_slice(&item->text));
	/* A change is often that of a frame without counts of its own. */
	if (item->diff == ANY_DIFF)
		buf_printf(d->out, "<tspan data-fg=\"share\"> %.1f%%</tspan>",
			   100 * item->share);
	buf_str(d->out, STR("</text>"));
}

void
svglegend_draw(const struct svglegend *l, const struct svgdraw *d, double y)
{
	static const char *const diff_name[] = { "self", "total", "judged" };
	const struct svglegend_item *item;

	if (l->n == 0)
		return;
	for (item = l->item; item < l->item + l->n; item++) {
		buf_str(d->out, STR("<g data-fg=\"key\""));
		if (item->key != NO_KEY)
			buf_printf(d->out, " data-key=\"%" PRIu32 "\"",
				   item->key);
		if (item->diff != ANY_DIFF)
			buf_printf(d->out, " data-diff=\"%s\"",
				   diff_name[item->diff]);
		if (!item->is_shown)
			buf_str(d->out, STR(" display=\"none\""));
		buf_printf(d->out,
			   " transform=\"translate(%.1f %.1f)\" "
			   "font-family=\"system-ui,sans-serif\">",
			   item->key == NO_KEY ? d->width / 2.0 : item->x,
			   y + item->y);
		if (item->key == NO_KEY)
			draw_note(d, item);
		else
			draw_entry(d, item);
		buf_str(d->out, STR("</g>"));
	}
	buf_char(d->out, '\n');
}

/* A hash of which colours each key has: an HTML page may hold pictures. */
static uint32_t
style_key(const struct svglegend *l)
{
	struct buf text = { 0 };
	uint32_t key;
	size_t i, k;

	for (i = 0; i < l->n; i++) {
		buf_printf(&text, "%" PRIu32 ":", l->item[i].key);
		for (k = 0; k < l->item[i].ncolours; k++)
			buf_printf(&text, "%" PRIu32 ",", l->item[i].colour[k]);
	}
	key = (uint32_t)hash_xxh64(text.p, text.len);
	buf_free(&text);
	return key;
}

void
svglegend_class(const struct svglegend *l, struct buf *out)
{
	if (l->n > 0)
		buf_printf(out, " m%08" PRIx32, style_key(l));
}

void
svglegend_style(const struct svglegend *l, struct buf *out)
{
	const struct svglegend_item *item;
	uint32_t key;
	size_t k;

	if (l->n == 0)
		return;
	key = style_key(l);
	for (item = l->item; item < l->item + l->n; item++) {
		/* Both ways to colour untested changes have the same keys. */
		if (item->key == NO_KEY ||
		    (item->diff == SVG_DIFF_TOTAL && item->key >= LESS))
			continue;
		buf_printf(out,
			   "svg.fg.m%08" PRIx32 " [data-key=\"%" PRIu32
			   "\"]:is(:hover,.on)~[data-fg=frames] :is(",
			   key, item->key);
		for (k = 0; k < item->ncolours; k++)
			buf_printf(out, "%s.c%" PRIu32, k > 0 ? "," : "",
				   item->colour[k]);
		buf_str(out, STR("){fill-opacity:1}\n"));
	}
}

void
svglegend_config(const struct svglegend *l, const struct svgdraw *d,
		 struct buf *json)
{
	uint32_t i, key;

	if (l->n == 0)
		return;
	buf_printf(json, ",\"legend\":%g", l->height);
	if (d->tree->counts == 2)
		return;
	buf_str(json, STR(",\"keys\":["));
	for (i = 0; i < d->names->ncolours; i++) {
		key = class_key(d->names, i);
		buf_printf(json, "%s%" PRId64, i > 0 ? "," : "",
			   key == NO_KEY ? -1 : (int64_t)key);
	}
	buf_char(json, ']');
}
