/* svglegend.h - what the colours of a picture mean. */
#ifndef SVGLEGEND_H
#define SVGLEGEND_H

#include "svg/svgdraw.h"

/*
 * The entries of a legend: a class of the palette, or a kind of change in a
 * diff, with its colours and its share of all counts; and notes, which have
 * text only.  A picture that can have changes coloured in several ways has
 * entries for each of them, and shows those of one.
 */
struct svglegend {
	struct svglegend_item *item;
	size_t n, cap;
	double height; /* px, 0 for a picture without a legend */
};

/*
 * Find the entries for a picture, and where they are.  d->max_change is set.
 * A palette with one class needs no legend.
 */
void svglegend_init(struct svglegend *l, const struct svgdraw *d);
void svglegend_free(struct svglegend *l);

/* Append the entries, from y on.  They come before the frames. */
void svglegend_draw(const struct svglegend *l, const struct svgdraw *d,
		    double y);

/*
 * Append the class of the root element that svglegend_style()'s rules need, and
 * these rules: under the pointer an entry makes all other frames pale.
 */
void svglegend_class(const struct svglegend *l, struct buf *out);
void svglegend_style(const struct svglegend *l, struct buf *out);

/* Append what the script needs to know as members of JSON. */
void svglegend_config(const struct svglegend *l, const struct svgdraw *d,
		      struct buf *json);

#endif
