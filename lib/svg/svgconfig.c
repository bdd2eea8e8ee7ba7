/* svgconfig.c - configuration of the script in a picture, as JSON. */
#include "svg/svgconfig.h"

#include "svg/svgtable.h"

#include <inttypes.h>

/* Append a member whose value is a string. */
static void
add_member(struct buf *json, const char *key, struct str value)
{
	buf_printf(json, ",\"%s\":", key);
	label_json(json, value);
}

/* Append colours as "fe9b92"; those that need white text end in w. */
static void
add_colours(struct buf *json, const struct svgnames *names)
{
	uint32_t i, rgb;

	buf_str(json, STR(",\"colours\":\""));
	for (i = 0; i < names->ncolours; i++) {
		rgb = names->colour[i].light;
		buf_printf(json, "%s%06" PRIx32 "%s", i > 0 ? " " : "", rgb,
			   palette_wants_black(rgb) ? "" : "w");
	}
	buf_char(json, '"');
}

/* Append a string to a list. */
static void
add_item(struct buf *json, struct str value)
{
	buf_char(json, ',');
	label_json(json, value);
}

/* Append the links of names: [place, title, href, target], ... */
static void
add_links(struct buf *json, const struct svgdraw *d)
{
	const struct attributes *a;
	const char *comma = "";
	uint32_t i;

	if (d->svg->attr == NULL)
		return;
	buf_str(json, STR(",\"attr\":["));
	for (i = 0; i < d->names->n; i++) {
		a = nameattr_get(d->svg->attr,
				 intern_name(d->tree->names, d->names->id[i]));
		if (a == NULL)
			continue;
		buf_printf(json, "%s[%" PRIu32, comma, i);
		add_item(json, a->title);
		add_item(json, a->href);
		add_item(json, a->target);
		buf_char(json, ']');
		comma = ",";
	}
	buf_char(json, ']');
}

/* Append the results of folddiff(1): [place in the table, class, lo, hi, q]. */
static void
add_verdicts(struct buf *json, const struct svgdraw *d)
{
	const struct tree *t = d->tree;
	const struct verdict *v;
	uint32_t i, depth = 0, place = 0;
	const char *comma = "";

	if (d->svg->verdicts == NULL)
		return;
	buf_str(json, STR(",\"verdicts\":["));
	for (i = tree_next(t, 0, &depth); i != 0; i = tree_next(t, i, &depth)) {
		place++;
		v = verdict_get(d->svg->verdicts, i);
		if (v == NULL)
			continue;
		buf_printf(json, "%s[%" PRIu32, comma, place);
		add_item(json, v->class);
		add_item(json, v->lo);
		add_item(json, v->hi);
		add_item(json, v->q);
		buf_char(json, ']');
		comma = ",";
	}
	buf_char(json, ']');
}

static void
add_ratio(struct buf *json, const struct svg *s)
{
	const struct svgratio *r = s->ratio;

	if (s->diff != SVG_DIFF_RATIO)
		return;
	buf_printf(json,
		   ",\"ratio\":{\"factor\":%.17g,\"whole\":%.17g,"
		   "\"places\":%d,\"most\":%d",
		   r->factor, r->whole, r->places, SVGRATIO_MOST);
	add_member(json, "over", r->over);
	add_member(json, "unit", buf_slice(&r->unit));
	buf_char(json, '}');
}

void
svgconfig_add(struct buf *json, const struct svgdraw *d,
	      const struct svglegend *legend, double top, double foot)
{
	static const char *const diff_name[] = { "self", "total", "judged",
						 "ratio" };
	const struct svg *s = d->svg;
	const int scale = svgtable_scale(d->tree);

	buf_printf(json, "{\"v\":1,\"width\":%d,\"drawn\":%d,\"row\":%d",
		   s->width, d->width, s->frame_height);
	buf_printf(json, ",\"font\":%g,\"cell\":%g", s->font_size,
		   s->font_size * s->font_width);
	buf_printf(json, ",\"top\":%g,\"foot\":%g,\"rows\":%" PRIu32, top, foot,
		   d->rows);
	buf_printf(json, ",\"counts\":%d,\"root\":%" PRIu32, d->tree->counts,
		   d->names->root);
	buf_str(json, STR(",\"min\":"));
	label_number(
	    json, s->min_percent ? d->inner * s->min_width / 100 : s->min_width,
	    6);
	buf_printf(json, ",\"scale\":%d,\"factor\":%.17g,\"decimals\":%d",
		   scale, s->number.factor, s->number.decimals);
	add_member(json, "unit", s->number.unit);
	add_member(json, "type", s->type);
	if (!count_iszero(s->total)) {
		buf_str(json, STR(",\"total\":\""));
		svgtable_scaled(json, s->total, scale);
		buf_char(json, '"');
	}
	if (s->refresh > 0)
		buf_printf(json, ",\"refresh\":%g", s->refresh);
	if (s->samples > 0)
		buf_printf(json, ",\"samples\":%" PRIu64, s->samples);
	buf_printf(json,
		   ",\"inverted\":%d,\"reversed\":%d,\"chart\":%d,"
		   "\"negate\":%d,\"diff\":\"%s\",\"lost\":%" PRIu32,
		   !s->inverted ? 0 :
		   s->tall      ? 2 :
				  1,
		   s->reversed, s->chart, s->negate, diff_name[s->diff],
		   d->tree->pruned);
	add_verdicts(json, d);
	add_ratio(json, s);
	add_colours(json, d->names);
	add_links(json, d);
	svglegend_config(legend, d, json);
	buf_char(json, '}');
}
