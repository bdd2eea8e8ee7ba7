/* svgdraw.h - the part of a picture that is there without a script. */
#ifndef SVGDRAW_H
#define SVGDRAW_H

#include "svg.h"

/* The space around the frames, at both sides, px. */
#define SVG_PAD 10

/* Frames narrower than this have no element of their own, px. */
#define SVG_NARROW 1.5

/* What is being drawn. */
struct svgdraw {
	const struct svg *svg;
	const struct tree *tree;
	const struct svgnames *names;
	struct buf *out;
	int width;         /* of the picture, px */
	double inner;      /* of the frames, px */
	double total;      /* what is as wide as that */
	double max_change; /* of a diff */
	uint32_t rows;
	struct sliver *sliver;
	size_t nslivers, sliver_cap;
	struct buf name, label; /* scratch */
};

/* The greatest change of a frame, either way, but for the root's. */
double svgdraw_max_change(const struct svg *s, const struct tree *t);

/* Find out how many rows there are, for d->rows. */
void svgdraw_measure(struct svgdraw *d);

/* Append the frames, relative to the end of the root that is outside. */
void svgdraw_frames(struct svgdraw *d);

/* "fe9b92" with a # before it. */
void svgdraw_colour(struct buf *out, uint32_t rgb);

#endif
