/* svgnames.h - the names in a picture, in order, and their colours. */
#ifndef SVGNAMES_H
#define SVGNAMES_H

#include "palette.h"
#include "tree.h"

struct svgnames {
	uint32_t n;
	uint32_t *id;    /* numbers of the names that are used, by bytes */
	uint32_t *place; /* of a number in id */
	uint32_t *shade; /* for each place in id, one of colour */
	struct colour *colour;
	uint32_t ncolours;
	uint32_t root; /* colour of the root, which has no name */

	/* Its own. */
	size_t colour_cap;
};

/* Collect the names of a finished tree; release with svgnames_free(). */
void svgnames_init(struct svgnames *s, const struct tree *t);

/* Give each name its colour of a palette. */
void svgnames_paint(struct svgnames *s, const struct tree *t,
		    struct palette *p);

/* Give no name a colour: frames get those of diffcolour.h by their change. */
void svgnames_paint_diff(struct svgnames *s);

/* True if the colours are the same where the page is dark. */
bool svgnames_are_fixed(const struct svgnames *s);

/* A number of the colours there are where the page is dark. */
uint32_t svgnames_dark_key(const struct svgnames *s);

void svgnames_free(struct svgnames *s);

#endif
