/* svg.c - draw a tree of frames as an SVG or HTML flame graph. */
#include "svg/svg.h"

#include "cli/assets.h"
#include "svg/diffcolour.h"
#include "svg/svgconfig.h"
#include "svg/svgdraw.h"
#include "svg/svgheat.h"
#include "svg/svglegend.h"
#include "svg/svgtable.h"
#include "svg/svgtime.h"

#include <inttypes.h>

/* Default of --width. */
#define WIDTH 1200

/*
 * From that many rows on the root is at the top.  A browser without scripts, an
 * <img> and the first page of a print show the top of a picture.
 */
#define TALL 40

#define MONOSPACE \
	"Menlo,Consolas,'DejaVu Sans Mono','Liberation Mono',monospace"

/* Vertical positions, in px from the top. */
struct layout {
	double title, subtitle, about,
	    scale;     /* base lines of text, 0 if absent */
	double legend; /* its first base line */
	double heat, frames, height;
	double top, foot; /* space above and below the rows of frames */
};

static struct layout
lay_out(const struct svgdraw *d, const struct svglegend *legend)
{
	const struct svg *s = d->svg;
	double y = s->font_size * 2.2, rows;
	struct layout l = { .title = y };

	if (s->subtitle.len > 0)
		l.subtitle = y += s->font_size * 1.6;
	if (s->about.len > 0)
		l.about = y += s->font_size * 1.6;
	if (d->tree->counts == 2 && (s->ratio == NULL || s->ratio->whole > 0))
		l.scale = y += s->font_size * 1.7;
	l.legend = y + s->font_size * 1.7;
	y += legend->height;
	l.heat = y += s->font_size * 1.3;
	if (s->heat != NULL)
		y += svgheat_height(s->heat, !s->no_script);
	else if (s->timeline != NULL)
		y += svgtime_height(s->timeline, !s->no_script);
	l.top = l.frames = y;
	rows = (double)d->rows * s->frame_height;
	if (!s->inverted)
		l.frames += rows;
	l.foot = s->font_size * 3.5;
	l.height = y + rows + l.foot;
	return l;
}

/* XML forbids "--" in a comment; markup characters are dropped to be safe. */
static void
add_comment(struct buf *out, struct str text)
{
	const char *dash, *end = text.p + text.len;

	buf_str(out, STR("<!-- NOTES: "));
	while ((dash = str_find(text, '-')) != NULL) {
		label_escape(out, str_range(text.p, dash));
		buf_str(out, STR("- "));
		text = str_range(dash + 1, end);
	}
	label_escape(out, text);
	buf_str(out, STR(" -->\n"));
}

/* True if the background makes the page dark, whatever the browser prefers. */
static bool
is_dark(const struct svg *s)
{
	return s->has_background && !palette_wants_black(s->background[0]);
}

static void
open_root(const struct svgdraw *d, const struct layout *l,
	  const struct svglegend *legend)
{
	const struct svg *s = d->svg;
	struct buf *out = d->out, json = { 0 };

	buf_printf(out,
		   "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"fg%s",
		   is_dark(s)        ? " dark" :
		   s->has_background ? "" :
				       " auto");
	if (svgnames_are_fixed(d->names))
		buf_str(out, STR(" fixed"));
	else if (!s->has_background)
		buf_printf(out, " k%08" PRIx32, svgnames_dark_key(d->names));
	svglegend_class(legend, out);
	buf_printf(out, "\" width=\"%d\" height=\"", d->width);
	label_number(out, l->height, 1);
	buf_printf(out, "\" viewBox=\"0 0 %d ", d->width);
	label_number(out, l->height, 1);
	buf_str(out, STR("\" font-family=\""));
	label_escape(out, s->font.len > 0 ? s->font : STR(MONOSPACE));
	buf_str(out, STR("\" font-size=\""));
	label_number(out, s->font_size, 2);
	buf_str(out, STR("\" fill=\"#111\" role=\"graphics-document document\""
			 " aria-label=\""));
	label_escape(out, s->title);
	if (!s->no_script) {
		buf_str(out, STR("\" data-cfg=\""));
		svgconfig_add(&json, d, legend, l->top, l->foot);
		label_escape(out, buf_slice(&json));
		buf_free(&json);
	}
	buf_str(out, STR("\">\n"));
}

/*
 * Append the style sheet of dark pages.  Its rules apply only to pictures with
 * this key, because an HTML page may hold several pictures.
 */
static void
add_dark_colours(const struct svgdraw *d)
{
	const struct svgnames *names = d->names;
	struct buf *out = d->out;
	uint32_t i, key = svgnames_dark_key(names);

	buf_str(out, STR("@media (prefers-color-scheme:dark){\n"));
	for (i = 0; i < names->ncolours; i++) {
		buf_printf(out,
			   "svg.fg.k%08" PRIx32 " .c%" PRIu32 ">rect,"
			   "svg.fg.k%08" PRIx32 " path.c%" PRIu32 "{fill:",
			   key, i, key, i);
		svgdraw_colour(out, names->colour[i].dark);
		buf_str(out, STR("}\n"));
		if (palette_wants_black(names->colour[i].dark))
			buf_printf(out,
				   "svg.fg.k%08" PRIx32 " .c%" PRIu32
				   ">text{fill:#111}\n",
				   key, i);
	}
	buf_str(out, STR("}\n"));
}

static void
add_style(const struct svgdraw *d, const struct svglegend *legend)
{
	buf_str(d->out, STR("<style>\n"));
	buf_str(d->out, asset_flame_css);
	if (d->svg->heat != NULL)
		buf_str(d->out, asset_heat_css);
	if (d->svg->timeline != NULL)
		buf_str(d->out, asset_time_css);
	if (!d->svg->has_background && !svgnames_are_fixed(d->names))
		add_dark_colours(d);
	svglegend_style(legend, d->out);
	buf_str(d->out, STR("</style>\n"));
}

static void
add_gradient(struct buf *out, uint32_t top, uint32_t bottom)
{
	buf_printf(
	    out,
	    "<defs><linearGradient id=\"fg-%06" PRIx32 "-%06" PRIx32
	    "\" x1=\"0\" y1=\"0\" x2=\"0\" y2=\"1\"><stop offset=\"5%%\" "
	    "stop-color=\"#%06" PRIx32 "\"/><stop offset=\"95%%\" "
	    "stop-color=\"#%06" PRIx32 "\"/></linearGradient></defs>\n"
	    "<rect data-fg=\"page\" width=\"100%%\" height=\"100%%\" "
	    "fill=\"url(#fg-%06" PRIx32 "-%06" PRIx32 ")\"/>\n",
	    top, bottom, top, bottom, top, bottom);
}

static void
add_background(struct buf *out, const struct svg *s)
{
	if (!s->has_background)
		buf_str(out, STR("<rect data-fg=\"page\" width=\"100%\" "
				 "height=\"100%\" fill=\"#fff\"/>\n"));
	else
		add_gradient(out, s->background[0], s->background[1]);
}

/* Append a centred line of text. */
static void
add_line(struct buf *out, const char *id, double y, double size,
	 const char *fill, struct str text)
{
	if (y == 0)
		return;
	buf_printf(out,
		   "<text id=\"%s\" data-fg=\"%s\" x=\"50%%\" y=\"%.1f\" "
		   "text-anchor=\"middle\" font-size=\"%g\" fill=\"%s\" "
		   "font-family=\"system-ui,sans-serif\">",
		   id, id, y, size, fill);
	label_escape(out, text);
	buf_str(out, STR("</text>\n"));
}

static void
add_header(struct buf *out, const struct svg *s, const struct layout *l)
{
	const char *ink = is_dark(s) ? "#f4f4f4" : "#111";
	const char *pale = is_dark(s) ? "#ccc" : "#555";

	add_line(out, "title", l->title, s->font_size * 1.4, ink, s->title);
	add_line(out, "subtitle", l->subtitle, s->font_size, pale, s->subtitle);
	add_line(out, "about", l->about, s->font_size, pale, s->about);
}

/* Append a word at one end of the scale, and the largest change of a diff. */
static void
add_end(const struct svgdraw *d, double x, const char *anchor, const char *word)
{
	buf_printf(d->out, "<text x=\"%g\" text-anchor=\"%s\">%s", x, anchor,
		   word);
	/* In a narrow picture there is no room beside the colours. */
	if (d->max_change > 0 && d->width >= 480)
		buf_printf(d->out, " by %.*f%%",
			   d->max_change < d->total / 1000 ? 3 : 1,
			   100 * d->max_change / d->total);
	buf_str(d->out, STR("</text>\n"));
}

/* Append what the colours at either end mean, x px from the middle. */
static void
add_ends(const struct svgdraw *d, double x)
{
	const struct svgratio *r = d->svg->ratio;
	const bool negate = d->svg->negate;
	char less[64], more[64];

	if (d->svg->diff != SVG_DIFF_RATIO) {
		add_end(d, -x, "end", negate ? "grew" : "shrank");
		add_end(d, x, "start", negate ? "shrank" : "grew");
		return;
	}
	snprintf(less, sizeof(less), "%.*f or less", r->places,
		 r->whole / SVGRATIO_MOST);
	snprintf(more, sizeof(more), "%.*f or more", r->places,
		 r->whole * SVGRATIO_MOST);
	add_end(d, -x, "end", negate ? more : less);
	add_end(d, x, "start", negate ? less : more);
}

/* Append the colours of a diff, from the largest decrease on, or of a ratio. */
static void
add_scale(const struct svgdraw *d, double y)
{
	const double size = 14;
	struct buf *out = d->out;
	uint32_t i;

	if (y == 0)
		return;
	buf_printf(out,
		   "<svg data-fg=\"legend\" x=\"50%%\" y=\"%.1f\" width=\"1\" "
		   "height=\"1\" overflow=\"visible\" fill=\"#555\" "
		   "font-family=\"system-ui,sans-serif\">\n",
		   y);
	for (i = 0; i < DIFF_COLOURS; i++) {
		buf_printf(out,
			   "<g class=\"c%" PRIu32 "\"><rect x=\"%g\" y=\"-10\" "
			   "width=\"%g\" height=\"11\" fill=\"",
			   i, (i - DIFF_COLOURS / 2.0) * size, size - 1);
		svgdraw_colour(out, d->names->colour[i].light);
		buf_str(out, STR("\"/></g>\n"));
	}
	add_ends(d, DIFF_COLOURS / 2.0 * size + 6);
	buf_str(out, STR("</svg>\n"));
}

static void
add_frames(struct svgdraw *d, const struct layout *l)
{
	double height = (double)d->rows * d->svg->frame_height;

	buf_printf(d->out,
		   "<svg id=\"frames\" data-fg=\"frames\" x=\"%d\" y=\"",
		   SVG_PAD);
	label_number(d->out, l->frames, 1);
	buf_printf(d->out,
		   "\" width=\"%g\" height=\"%g\" overflow=\"visible\">\n",
		   d->inner, height);
	svgdraw_frames(d);
	buf_str(d->out, STR("</svg>\n"));
}

static void
add_tables(struct buf *out, const struct svgdraw *d)
{
	const struct svg *s = d->svg;
	struct buf table = { 0 };

	svgtable_add(&table, d->tree, d->names,
		     s->reversed ? SVGTABLE_LOSSY : 0, s->header);
	svgtable_embed(out, "table", buf_slice(&table), !s->no_deflate);
	table.len = 0;
	if (s->heat != NULL) {
		svgheat_table(&table, s->heat, svgtable_scale(d->tree));
		svgtable_embed(out, "samples", buf_slice(&table),
			       !s->no_deflate);
	}
	if (s->timeline != NULL) {
		svgtime_table(&table, s->timeline, svgtable_scale(d->tree));
		svgtable_embed(out, "samples", buf_slice(&table),
			       !s->no_deflate);
	}
	if (s->source.len > 0)
		svgtable_embed(out, "source", s->source, !s->no_deflate);
	buf_free(&table);
}

static void
add_script(struct buf *out, const struct svg *s)
{
	buf_str(out, STR("<script><![CDATA[\n"));
	if (s->heat != NULL)
		buf_str(out, asset_heat_js);
	if (s->timeline != NULL) {
		buf_str(out, asset_timegrid_js);
		buf_str(out, asset_time_js);
	}
	buf_str(out, asset_flame_js);
	buf_str(out, STR("]]></script>\n"));
}

static void
add_nothing(struct buf *out, const struct layout *l, const struct svgdraw *d)
{
	const struct tree *t = d->tree;
	const bool other = t->counts == 2 && !count_iszero(tree_total(t, 0, 0));

	buf_printf(out,
		   "<text x=\"50%%\" y=\"%.1f\" text-anchor=\"middle\" "
		   "fill=\"#555\">no ",
		   l->height / 2);
	if (other && d->svg->ratio != NULL) {
		label_escape(out, d->svg->ratio->under);
		buf_str(out, STR(" counted"));
	} else {
		buf_printf(out, "samples%s", other ? " after the change" : "");
	}
	buf_str(out, STR("</text>\n"));
}

static void
open_page(struct buf *out, const struct svg *s)
{
	buf_str(
	    out,
	    STR("<!DOCTYPE html>\n<html lang=\"en\" data-foldstack=\"\">\n"
		"<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
		"content=\"width=device-width,initial-scale=1\">\n<title>"));
	label_escape(out, s->title);
	buf_str(out, STR("</title>\n<style>body{margin:0}@media "
			 "(prefers-color-scheme:dark){html{background:#1b1c1f}}"
			 "h1{position:absolute;margin:0;width:1px;height:1px;"
			 "overflow:hidden;clip-path:inset(50%)}"
			 "</style>\n</head>\n<body>\n<main>\n<h1>"));
	label_escape(out, s->title);
	buf_str(out, STR("</h1>\n"));
}

static int
width_of(const struct svg *s)
{
	return s->width > 0 ? s->width : WIDTH;
}

double
svg_inner(const struct svg *s)
{
	int width = width_of(s);

	return width > 4 * SVG_PAD ? width - 2 * SVG_PAD : width;
}

void
svg_write(const struct svg *s, const struct tree *t,
	  const struct svgnames *names, FILE *f)
{
	struct buf out = { 0 };
	struct svgdraw d = { .svg = s, .tree = t, .names = names, .out = &out };
	struct svglegend legend;
	struct layout l;
	struct svg tall;

	d.width = width_of(s);
	d.inner = svg_inner(s);
	d.total = count_double(count_iszero(s->total) ?
				   tree_total(t, 0, t->counts - 1) :
				   s->total);
	d.max_change = svgdraw_max_change(s, t);
	svgdraw_measure(&d);
	if (!s->inverted && d.rows >= TALL) {
		tall = *s;
		tall.inverted = tall.tall = true;
		d.svg = s = &tall;
	}
	svglegend_init(&legend, &d);
	l = lay_out(&d, &legend);
	if (s->html)
		open_page(&out, s);
	else
		buf_str(&out, STR("<?xml version=\"1.0\" "
				  "encoding=\"UTF-8\"?>\n"));
	open_root(&d, &l, &legend);
	if (s->notes.len > 0)
		add_comment(&out, s->notes);
	add_style(&d, &legend);
	add_background(&out, s);
	add_header(&out, s, &l);
	add_scale(&d, l.scale);
	svglegend_draw(&legend, &d, l.legend);
	if (s->heat != NULL)
		svgheat_draw(&out, s->heat, l.heat, d.inner, s->clock);
	else if (s->timeline != NULL)
		svgtime_draw(&out, s->timeline, l.heat, d.inner, s->clock);
	if (d.total > 0)
		add_frames(&d, &l);
	else
		add_nothing(&out, &l, &d);
	buf_write(&out, f);
	if (!s->no_script)
		add_tables(&out, &d);
	if (!s->no_script && d.total > 0)
		add_script(&out, s);
	buf_str(&out, STR("</svg>\n"));
	if (s->html)
		buf_str(&out, STR("</main>\n</body>\n</html>\n"));
	buf_write(&out, f);
	svglegend_free(&legend);
	buf_free(&out);
}
