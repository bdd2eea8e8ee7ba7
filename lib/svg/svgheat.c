/* svgheat.c - draw the heat map of a picture. */
#include "svg/svgheat.h"

#include "base/mem.h"
#include "folded/label.h"
#include "palette/palette.h"
#include "svg/svgdraw.h"
#include "svg/svgtable.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#define SECOND UINT64_C(1000000000)

/* px */
#define LEFT 56    /* from the page to the cells; heat.js has it too */
#define LEGEND 26  /* above the cells */
#define AXIS 20    /* below the cells */
#define GAP 8      /* below the axis, without a script */
#define LINE 22    /* below the axis, for the line of heat.js */
#define HEIGHT 200 /* of all cells, rounded to whole rows */
#define WIDEST 80  /* column */
#define NARROW 3   /* column, unless asked for */
#define TICK 64    /* least distance of labels */

/*
 * From few samples to many, in even steps of lightness, so that everybody can
 * see the order.  heat.css has the colours of dark pages, where more is
 * lighter.
 */
#define COLOURS 8
static const uint32_t colours[COLOURS] = { 0xffe7cb, 0xfcc086, 0xf2974d,
					   0xe0701d, 0xc64d00, 0xa62e03,
					   0x7f1a13, 0x541317 };

/* Colour of a number of samples: equal steps up to top, then one more. */
struct levels {
	uint32_t n, top, most;
};

uint32_t
svgheat_columns(double width, bool asked)
{
	double most = (width - LEFT) / (asked ? 1 : NARROW);

	return most < 16 ? 16 : (uint32_t)most;
}

static uint32_t
row_height(const struct heatmap *h)
{
	return h->rows < HEIGHT ? HEIGHT / h->rows : 1;
}

double
svgheat_height(const struct heatmap *h, bool has_script)
{
	return LEGEND + AXIS + (has_script ? LINE : GAP) +
	       (double)h->rows * row_height(h);
}

static int
by_number(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* One cell in a hundred may exceed the scale, so that it suits the rest. */
static struct levels
find_levels(const struct heatmap *h)
{
	size_t i, n = 0, cells = (size_t)h->columns * h->rows;
	uint32_t *some = mem_alloc(cells * sizeof(*some));
	struct levels l = { 0, 0, 0 };

	for (i = 0; i < cells; i++) {
		if (h->samples[i] > 0)
			some[n++] = h->samples[i];
	}
	if (n > 0) {
		qsort(some, n, sizeof(*some), by_number);
		l.most = some[n - 1];
		l.top = some[(n - 1) * 99 / 100];
		l.n = l.top < COLOURS ? l.top : COLOURS;
	}
	free(some);
	return l;
}

/* Level of a number of samples, from 1; 0 for no samples. */
static uint32_t
level_of(const struct levels *l, uint32_t samples)
{
	uint64_t level;

	if (samples == 0)
		return 0;
	level = 1 + (uint64_t)(samples - 1) * l->n / l->top;
	return level < l->n ? (uint32_t)level : l->n;
}

/* Smallest number of samples of a level. */
static uint32_t
fewest(const struct levels *l, uint32_t level)
{
	return (uint32_t)(1 +
			  ((uint64_t)(level - 1) * l->top + l->n - 1) / l->n);
}

static uint32_t
colour_of(const struct levels *l, uint32_t level)
{
	return l->n == 1 ? COLOURS - 1 :
			   (level - 1) * (COLOURS - 1) / (l->n - 1);
}

/* Append a time, rounded up: "20 ms", "7.5 s", "30 min". */
static void
add_span(struct buf *out, double ns, double most)
{
	if (most <= SECOND) {
		label_number(out, ns / 1e6, 3);
		buf_str(out, STR(" ms"));
	} else if (most < 600 * SECOND) {
		label_number(out, ns / 1e9, 3);
		buf_str(out, STR(" s"));
	} else {
		label_number(out, ns / 6e10, 1);
		buf_str(out, STR(" min"));
	}
}

/* Append a swatch with the smallest number of samples of its level. */
static void
add_swatch(struct buf *out, const struct levels *l, uint32_t level, double x,
	   double width)
{
	uint32_t rgb = level == 0 ? 0xffffff : colours[colour_of(l, level)];

	if (level == 0)
		buf_str(out, STR("<g class=\"none\" stroke=\"#999\">"));
	else
		buf_printf(out, "<g class=\"h%" PRIu32 "\">",
			   colour_of(l, level));
	buf_printf(out,
		   "<rect x=\"%g\" y=\"-11\" width=\"%g\" height=\"15\" "
		   "fill=\"#%06" PRIx32 "\"/><text x=\"%g\" "
		   "text-anchor=\"middle\" stroke=\"none\" fill=\"%s\">",
		   x, width - 1, rgb, x + (width - 1) / 2,
		   palette_wants_black(rgb) ? "#111" : "#fff");
	if (level > 0 && level == l->n && l->most > fewest(l, level))
		buf_str(out, STR("\xe2\x89\xa5"));
	buf_printf(out, "%" PRIu32 "</text></g>\n",
		   level == 0 ? 0 : fewest(l, level));
}

static void
add_legend(struct buf *out, const struct heatmap *h, const struct levels *l)
{
	/* As wide as the text of the last swatch and a sign. */
	double cell = (double)h->span / h->rows;
	double width = 16 + 6 * snprintf(NULL, 0, "%" PRIu32, l->most);
	uint32_t level;

	buf_str(out, STR("<svg y=\"-11\" overflow=\"visible\" width=\"1\" "
			 "height=\"1\" font-size=\"11\">\n"));
	for (level = 0; level <= l->n; level++)
		add_swatch(out, l, level, level * width, width);
	buf_printf(out, "<text x=\"%g\">samples in ", (l->n + 1) * width + 5);
	add_span(out, cell, cell);
	buf_str(out, STR("</text>\n</svg>\n"));
}

/* Append the time of a label below the columns: "90 s", or "1:30". */
static void
add_time(struct buf *out, const struct heatmap *h, uint64_t seconds)
{
	if (h->span / SECOND * h->columns < 600)
		buf_printf(out, "%" PRIu64 " s", seconds);
	else if (seconds < 3600)
		buf_printf(out, "%" PRIu64 ":%02" PRIu64, seconds / 60,
			   seconds % 60);
	else
		buf_printf(out, "%" PRIu64 ":%02" PRIu64 ":%02" PRIu64,
			   seconds / 3600, seconds / 60 % 60, seconds % 60);
}

static void
add_times(struct buf *out, const struct heatmap *h, double width,
	  uint32_t height)
{
	/* The sum of all columns may exceed 64 bits. */
	double all = (double)h->span * h->columns, ns = all * TICK / width;
	double end = all - (double)h->span / 2;
	uint64_t at, step; /* s */

	step = heatmap_round(ns < 1e19 ? (uint64_t)ns : UINT64_MAX) / SECOND;
	buf_printf(out, "<g data-fg=\"times\" text-anchor=\"middle\">\n");
	for (at = 0; (double)at * SECOND <= end; at += step) {
		buf_str(out, STR("<text x=\""));
		label_number(out, 100 * ((double)at * SECOND) / all, 3);
		buf_printf(out, "%%\" y=\"%" PRIu32 "\">", height + 15);
		add_time(out, h, at);
		buf_str(out, STR("</text>\n"));
	}
	buf_str(out, STR("</g>\n"));
}

/* Append the labels of the rows, at the left. */
static void
add_parts(struct buf *out, const struct heatmap *h, double height)
{
	int i;

	buf_str(out, STR("<g text-anchor=\"end\">\n"));
	for (i = 0; i <= 4; i++) {
		buf_str(out, STR("<text x=\"-7\" y=\""));
		label_number(out, height - i * height / 4 + 4, 1);
		buf_str(out, STR("\">"));
		add_span(out, (double)h->span * i / 4, (double)h->span);
		buf_str(out, STR("</text>\n"));
	}
	buf_str(out, STR("</g>\n"));
}

/*
 * Append the cells of one colour as vertical strokes, one cell wide: this form
 * takes the fewest bytes.
 */
static void
add_cells(struct buf *out, const struct heatmap *h, const struct levels *l,
	  uint32_t level)
{
	uint32_t column, row, end;
	long long x = 0, y = h->rows; /* end of the last stroke */
	const uint32_t *samples = h->samples;

	buf_printf(out,
		   "<path class=\"h%" PRIu32 "\" stroke=\"#%06" PRIx32
		   "\" d=\"M.5 %" PRIu32,
		   colour_of(l, level), colours[colour_of(l, level)], h->rows);
	for (column = 0; column < h->columns; column++, samples += h->rows) {
		for (row = 0; row < h->rows; row = end) {
			end = row + 1;
			if (level_of(l, samples[row]) != level)
				continue;
			while (end < h->rows &&
			       level_of(l, samples[end]) == level)
				end++;
			buf_printf(out, "m%lld %lldv-%" PRIu32, column - x,
				   (long long)h->rows - row - y, end - row);
			x = column;
			y = h->rows - end;
		}
	}
	buf_str(out, STR("\"/>\n"));
}

static void
add_map(struct buf *out, const struct heatmap *h, const struct levels *l)
{
	uint32_t level;

	buf_str(out, STR("<rect class=\"none\" width=\"100%\" height=\"100%\" "
			 "fill=\"#fff\" stroke=\"#999\"/>\n"));
	buf_printf(out,
		   "<svg data-fg=\"cells\" width=\"100%%\" height=\"100%%\" "
		   "viewBox=\"0 0 %" PRIu32 " %" PRIu32 "\" "
		   "preserveAspectRatio=\"none\" fill=\"none\" "
		   "shape-rendering=\"crispEdges\">\n",
		   h->columns, h->rows);
	for (level = 1; level <= l->n; level++)
		add_cells(out, h, l, level);
	buf_str(out, STR("</svg>\n"));
}

/* Append the configuration for heat.js. */
static void
add_config(struct buf *out, const struct heatmap *h, struct str clock)
{
	struct buf json = { 0 };

	buf_printf(&json,
		   "{\"columns\":%" PRIu32 ",\"rows\":%" PRIu32
		   ",\"span\":%" PRIu64 ",\"start\":\"%" PRIu64 "\",\"clock\":",
		   h->columns, h->rows, h->span, h->start);
	label_json(&json, clock);
	buf_char(&json, '}');
	label_escape(out, buf_slice(&json));
	buf_free(&json);
}

void
svgheat_draw(struct buf *out, const struct heatmap *h, double y, double width,
	     struct str clock)
{
	struct levels l = find_levels(h);
	uint32_t height = h->rows * row_height(h);
	double column = (width - LEFT) / h->columns;

	/* Whole pixels keep all columns equally wide. */
	column = column > WIDEST ? WIDEST :
		 column >= 1     ? floor(column) :
				   column;
	width = column * h->columns;
	buf_printf(out,
		   "<svg data-fg=\"heat\" role=\"img\" aria-label=\"heat map: "
		   "when samples were taken\" x=\"%d\" y=\"%g\" width=\"%g\" "
		   "height=\"%" PRIu32
		   "\" overflow=\"visible\" font-size=\"11\" "
		   "font-family=\"system-ui,sans-serif\" fill=\"#555\" "
		   "data-heat=\"",
		   SVG_PAD + LEFT, y + LEGEND, width, height);
	add_config(out, h, clock);
	buf_str(out, STR("\">\n"));
	add_legend(out, h, &l);
	add_map(out, h, &l);
	add_times(out, h, width, height);
	add_parts(out, h, height);
	buf_str(out, STR("</svg>\n"));
}

static bool
is_even(const struct heatmap *h)
{
	size_t i;

	for (i = 1; i < h->n; i++) {
		if (count_cmp(h->sample[i].count, h->sample[0].count) != 0)
			return false;
	}
	return h->n > 0 && !count_iszero(h->sample[0].count);
}

void
svgheat_table(struct buf *out, const struct heatmap *h, int scale)
{
	bool even = is_even(h);
	size_t i;

	svgtable_number(out, 1);
	svgtable_number(out, h->columns);
	svgtable_number(out, h->rows);
	svgtable_number(out, h->n);
	svgtable_count(out, even ? h->sample[0].count : count_of(0), scale);
	for (i = 0; i < (size_t)h->columns * h->rows; i++)
		svgtable_number(out, h->samples[i]);
	for (i = 0; i < h->n; i++) {
		bool same = i > 0 && h->sample[i].cell == h->sample[i - 1].cell;

		svgtable_number(out, h->sample[i].frame -
					 (same ? h->sample[i - 1].frame : 0));
	}
	for (i = 0; i < h->n && !even; i++)
		svgtable_count(out, h->sample[i].count, scale);
}
