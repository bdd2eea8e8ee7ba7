/* svglegend.c - what the colours of a picture mean. */
#include "svg/svglegend.h"

#include "base/hash.h"
#include "svg/svgkeys.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* A swatch shows this many of a class's colours, each CELL px wide. */
#define CELLS 3
#define CELL 5

/* Space between a swatch and its text, and between entries, px. */
#define GAP 6
#define BETWEEN 18

/* Mean width of a character, and height of a line, in font sizes. */
#define CHARACTER 0.56
#define LINE 1.6

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
		lines = item->key == SVGKEYS_NONE ?
			    break_lines(d, &item->text) :
			    1;
		item->width = CELLS * CELL + GAP + BETWEEN +
			      text_width(d, item->text.len + 7);
		if (!item->is_shown)
			continue;
		if (wide > 0 && (item->key == SVGKEYS_NONE ||
				 wide + item->width > d->inner)) {
			centre(d, first, item, wide);
			first = item;
			wide = 0;
			y += line;
		}
		item->y = y;
		wide += item->width;
		if (item->key == SVGKEYS_NONE) {
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
	svgkeys_find(l, d);
	if (l->n > 0)
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
	if (item->diff == SVGKEYS_ANY_DIFF)
		buf_printf(d->out, "<tspan data-fg=\"share\"> %.1f%%</tspan>",
			   100 * item->share);
	buf_str(d->out, STR("</text>"));
}

void
svglegend_draw(const struct svglegend *l, const struct svgdraw *d, double y)
{
	static const char *const diff_name[] = { "self", "total", "judged",
						 "ratio" };
	const struct svglegend_item *item;

	if (l->n == 0)
		return;
	for (item = l->item; item < l->item + l->n; item++) {
		buf_str(d->out, STR("<g data-fg=\"key\""));
		if (item->key != SVGKEYS_NONE)
			buf_printf(d->out, " data-key=\"%" PRIu32 "\"",
				   item->key);
		if (item->diff != SVGKEYS_ANY_DIFF)
			buf_printf(d->out, " data-diff=\"%s\"",
				   diff_name[item->diff]);
		if (!item->is_shown)
			buf_str(d->out, STR(" display=\"none\""));
		buf_printf(d->out,
			   " transform=\"translate(%.1f %.1f)\" "
			   "font-family=\"system-ui,sans-serif\">",
			   item->key == SVGKEYS_NONE ? d->width / 2.0 : item->x,
			   y + item->y);
		if (item->key == SVGKEYS_NONE)
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
		if (item->key == SVGKEYS_NONE ||
		    (item->diff == SVG_DIFF_TOTAL && item->key >= SVGKEYS_LESS))
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
		key = svgkeys_of_class(d->names, i);
		buf_printf(json, "%s%" PRId64, i > 0 ? "," : "",
			   key == SVGKEYS_NONE ? -1 : (int64_t)key);
	}
	buf_char(json, ']');
}
