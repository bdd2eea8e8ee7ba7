/* canvas.h - lines of styled text for a terminal or a file. */
#ifndef CANVAS_H
#define CANVAS_H

#include "base/buf.h"

enum canvas_kind {
	CANVAS_FILE,  /* plain text */
	CANVAS_MONO,  /* a terminal with bold, dim and reversed text */
	CANVAS_256,   /* a terminal with a colour cube of 6 x 6 x 6 */
	CANVAS_COLOUR /* a terminal with 24-bit colours */
};

enum canvas_style {
	CANVAS_PLAIN = 0,
	CANVAS_BOLD = 1,
	CANVAS_DIM = 2,
	CANVAS_REVERSE = 4,
	CANVAS_UNDERLINE = 8,
	CANVAS_RED = 0x100, /* as the user's terminal defines it */
	CANVAS_GREEN = 0x200,
	CANVAS_BLUE = 0x300,
	CANVAS_HUES = 0x300
};

/*
 * The caller sets the first fields, the rest is zero.  The text is in out;
 * release it with buf_free().
 */
struct canvas {
	enum canvas_kind kind;
	bool utf8;            /* else names and bars are ASCII */
	size_t rows, columns; /* of a terminal; a file has no limits */
	size_t row, column;   /* where the next text goes, from 0 */
	struct buf out;
};

/* Empty the canvas and start with its first line. */
void canvas_begin(struct canvas *c);

/* End the line. */
void canvas_line(struct canvas *c);

/* Erase the rest of the screen.  The cursor stays where the text ends. */
void canvas_end(struct canvas *c);

/* Set the style of the following text; it replaces style and colours. */
void canvas_style(struct canvas *c, unsigned style);

/* Set the colours of the following text and its background, as 0xrrggbb. */
void canvas_colours(struct canvas *c, uint32_t text, uint32_t background);

/*
 * Set the colour of the following text on the terminal's background, or with
 * reverse the other way round.
 */
void canvas_edge(struct canvas *c, uint32_t colour, bool reverse);

/* Add ASCII text, cut at the right edge.  Not for text from an input. */
void canvas_text(struct canvas *c, const char *text);
void canvas_printf(struct canvas *c, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * Add a name from an input, which may have any bytes: without its suffix,
 * with control characters escaped, cut to the number of cells and at the right
 * edge.
 */
void canvas_name(struct canvas *c, struct str name, size_t cells);

/* Add blanks up to a column. */
void canvas_pad(struct canvas *c, size_t column);

/* Move to a column of the line; does nothing in a file. */
void canvas_move(struct canvas *c, size_t column);

/* Add a cell, filled to n eighths; a blank one without colours or UTF-8. */
void canvas_eighths(struct canvas *c, unsigned n);

/* The number of cells left on the line. */
size_t canvas_room(const struct canvas *c);

#endif
