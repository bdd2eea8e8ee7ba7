/* label.h - text in pictures: frame names, numbers, escapes. */
#ifndef LABEL_H
#define LABEL_H

#include "base/count.h"

/*
 * Append s as XML text or attribute value.  Bytes that are not UTF-8,
 * characters that XML forbids, and marks of writing direction become U+FFFD.
 */
void label_escape(struct buf *out, struct str s);

/* Append s as a JSON string in quotes. */
void label_json(struct buf *out, struct str s);

/*
 * Append a frame's name without its suffix, not XML-escaped.  U+FFFD replaces
 * each \xNN escape of folded text, each mark of writing direction and each
 * character that XML forbids.
 */
void label_name(struct buf *out, struct str frame);

/*
 * Append a name of label_name(), cut to a number of cells of a fixed-width
 * font.  It drops the least useful parts first: return type, arguments, the
 * path of a script, then packages, namespaces and folders from the left, and
 * finally the end of the function's own name.
 * Appends nothing if there are fewer than three cells.  Not XML-escaped.
 */
void label_cut(struct buf *out, struct str name, size_t cells);

/* The width of a name in cells, rounded up where fonts may differ. */
size_t label_width(struct str s);

/* How label_count() prints counts. */
struct label_number {
	double factor; /* multiply by this; 1 prints the exact count */
	int decimals;  /* used if factor is not 1 */
	struct str unit;
};

/* Append a count with commas between thousands, without its unit. */
void label_count(struct buf *out, const struct label_number *format,
		 struct count c);

/* Append a number with at most this many decimals, without trailing zeros. */
void label_number(struct buf *out, double value, int decimals);

#endif
