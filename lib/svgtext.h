/* svgtext.h - names, numbers and labels as a picture shows them. */
#ifndef SVGTEXT_H
#define SVGTEXT_H

#include "count.h"

/*
 * Append s so that it is text, or the value of an attribute, and no more.
 * Of what may not stand in XML, or turns the direction of writing, and of what
 * is not UTF-8, U+FFFD is left.
 */
void svgtext_escape(struct buf *out, struct str s);

/* Append s as a string of JSON, quotes around it. */
void svgtext_json(struct buf *out, struct str s);

/*
 * Append a frame's name as it is shown: without its suffix, and U+FFFD for
 * what was no character (\xNN in folded text), turns the direction of
 * writing, or may not stand in XML.  Not escaped.
 */
void svgtext_name(struct buf *out, struct str frame);

/*
 * Append a shown name cut to so many cells of a fixed-width font: of a path
 * or a C++ name the middle goes, of others the end.  Nothing if not even
 * three cells are there.  Not escaped.
 */
void svgtext_label(struct buf *out, struct str name, size_t cells);

/* How many cells that takes of a name that fits, at most. */
size_t svgtext_width(struct str s);

/* How counts are shown: times factor, and with so many decimals. */
struct svgtext_number {
	double factor; /* 1: as they are, exactly */
	int decimals;  /* if factor is not 1 */
	struct str unit;
};

/* Append a count with commas, without its unit. */
void svgtext_count(struct buf *out, const struct svgtext_number *format,
		   struct count c);

/* Append a number with at most so many decimals and no zeros at the end. */
void svgtext_number(struct buf *out, double value, int decimals);

#endif
