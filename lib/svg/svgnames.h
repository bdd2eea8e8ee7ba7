/* svgnames.h - the names of a picture, sorted, and their colours. */
#ifndef SVGNAMES_H
#define SVGNAMES_H

#include "palette/palette.h"
#include "tree/tree.h"

/* Instead of a class: the root frame, which has none. */
#define SVGNAMES_ROOT (SIZE_MAX - 2)

struct svgnames {
	uint32_t n;
	uint32_t *id;    /* numbers of the names in use, sorted by bytes */
	uint32_t *place; /* index into id, by number of the name */
	uint32_t *shade; /* index into colour, for each entry of id */
	struct colour *colour;
	uint32_t ncolours;
	uint32_t root; /* colour of the root frame */
	size_t *class; /* of each colour, or a constant of palette.h; of the
			  root's SVGNAMES_ROOT.  NULL in a diff. */
	const struct palfile *file; /* the classes; NULL in a diff */

	/* Private. */
	size_t colour_cap, class_cap;
};

/* Collect the names of a finished tree; release with svgnames_free(). */
void svgnames_init(struct svgnames *s, const struct tree *t);

/* Choose the colour of each name by a palette. */
void svgnames_paint(struct svgnames *s, const struct tree *t,
		    struct palette *p);

/* Choose no colours: in a diff, diffcolour.h colours frames by their change. */
void svgnames_paint_diff(struct svgnames *s);

/* True if dark pages show the same colours. */
bool svgnames_are_fixed(const struct svgnames *s);

/* Return a hash of the colours of dark pages, the key of their style sheet. */
uint32_t svgnames_dark_key(const struct svgnames *s);

void svgnames_free(struct svgnames *s);

#endif
