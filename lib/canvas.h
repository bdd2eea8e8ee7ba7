/* canvas.h - lines of text with colours, for a terminal or for a file. */
#ifndef CANVAS_H
#define CANVAS_H

#include "buf.h"

enum canvas_kind {
	CANVAS_FILE,  /* text and no more */
	CANVAS_MONO,  /* a terminal without colours: bold, dim, reversed */
	CANVAS_256,   /* colours of a cube of 6 x 6 x 6 */
	CANVAS_COLOUR /* any colour */
};

enum canvas_style {
	CANVAS_PLAIN = 0,
	CANVAS_BOLD = 1,
	CANVAS_DIM = 2,
	CANVAS_REVERSE = 4,
	CANVAS_UNDERLINE = 8,
	CANVAS_RED = 0x100, /* of the user's own colours */
	CANVAS_GREEN = 0x200,
	CANVAS_BLUE = 0x300,
	CANVAS_HUES = 0x300
};

/* All zero but for the first fields at the start; release with buf_free(). */
struct canvas {
	enum canvas_kind kind;
	bool utf8;            /* else names and bars are ASCII */
	size_t rows, columns; /* of a terminal; a file has no bounds */
	size_t row, column;   /* where the next text stands, from 0 */
	struct buf out;
};

/* Begin with the first line; and a new one. */
void canvas_begin(struct canvas *c);
void canvas_line(struct canvas *c);

/* Erase what is below, with the cursor of the terminal where it ends. */
void canvas_end(struct canvas *c);

/* How text is shown from here on, instead of what was asked for before. */
void canvas_style(struct canvas *c, unsigned style);

/* The same with colours, 0xrrggbb, of the text and behind it. */
void canvas_colours(struct canvas *c, uint32_t text, uint32_t behind);

/* The same, text of a colour on that of the terminal; or the other way. */
void canvas_edge(struct canvas *c, uint32_t colour, bool reverse);

/*
 * Text that is ours, cut at the right edge; formatted, without what comes
 * from an input.
 */
void canvas_text(struct canvas *c, const char *text);
void canvas_printf(struct canvas *c, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * A name of an input, any bytes, in at most so many cells and to the right
 * edge, made harmless, without a suffix.
 */
void canvas_name(struct canvas *c, struct str name, size_t cells);

/* Blanks up to a column; and back to one, on a terminal. */
void canvas_to(struct canvas *c, size_t column);
void canvas_back(struct canvas *c, size_t column);

/* The first n eighths of a cell, where there are colours and UTF-8. */
void canvas_eighths(struct canvas *c, unsigned n);

/* Cells that are left on the line. */
size_t canvas_room(const struct canvas *c);

#endif
