/* svgkeys.h - the entries of a legend: what each colour of a picture means. */
#ifndef SVGKEYS_H
#define SVGKEYS_H

#include "svg/svglegend.h"

/* Key of an entry without colours, and of colours without an entry. */
#define SVGKEYS_NONE UINT32_MAX

/* Not one of enum svg_diff: the entry is for all of them. */
#define SVGKEYS_ANY_DIFF (-1)

/* Keys of a diff: of tested changes, and of any. */
enum {
	SVGKEYS_STRONG,
	SVGKEYS_PALE,
	SVGKEYS_GREY,
	SVGKEYS_LESS,
	SVGKEYS_SAME,
	SVGKEYS_MORE
};

struct svglegend_item {
	struct buf text; /* a note has lines, with LF between them */
	uint32_t key;    /* SVGKEYS_NONE: a note */
	uint32_t *colour;
	size_t ncolours, colour_cap;
	double share; /* of all counts, those of the frames themselves */
	int diff;     /* for this enum svg_diff, or SVGKEYS_ANY_DIFF */
	bool is_shown;
	double x, y, width; /* px; set by svglegend.c */
};

/* Append the entries for a picture with samples. */
void svgkeys_find(struct svglegend *l, const struct svgdraw *d);

/* Return the key of a colour, where the palette's classes are the keys. */
uint32_t svgkeys_of_class(const struct svgnames *names, uint32_t colour);

#endif
