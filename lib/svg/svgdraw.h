/* svgdraw.h - the static drawing of a picture, which needs no script. */
#ifndef SVGDRAW_H
#define SVGDRAW_H

#include "svg/svg.h"

/* Margin at the left and right of the frames, px. */
#define SVG_PAD 10

/* Narrower frames share one path with others of their row and colour, px. */
#define SVG_NARROW 1.5

/* State of one drawing. */
struct svgdraw {
	const struct svg *svg;
	const struct tree *tree;
	const struct svgnames *names;
	struct buf *out;
	int width;         /* width of the picture, px */
	double inner;      /* width of the root frame, px */
	double total;      /* count that is as wide as inner */
	double max_change; /* largest change of a diff */
	uint32_t rows;
	struct svgdraw_sliver *sliver;
	size_t nslivers, sliver_cap;
	struct buf name, label; /* scratch */
};

/* Return the largest change of a frame other than the root. */
double svgdraw_max_change(const struct svg *s, const struct tree *t);

/* Set d->rows, the number of rows that the drawing needs. */
void svgdraw_measure(struct svgdraw *d);

/* Return the colour of a frame: an index into svgnames.colour. */
uint32_t svgdraw_shade(const struct svgdraw *d, uint32_t i);

/* Append the frames.  y is relative to the outer edge of the root. */
void svgdraw_frames(struct svgdraw *d);

/* Append a colour as "#fe9b92". */
void svgdraw_colour(struct buf *out, uint32_t rgb);

#endif
