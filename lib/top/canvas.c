/* canvas.c - lines of styled text for a terminal or a file. */
#include "top/canvas.h"

#include "base/utf8.h"
#include "folded/label.h"

#include <err.h>
#include <stdarg.h>
#include <stdlib.h>

/* Control sequences are those of ECMA-48, and xterm's for colours. */
#define CSI "\033["

/* Terminals that support this show all text between the two at once. */
#define FRAME_BEGIN CSI "?2026h"
#define FRAME_END CSI "?2026l"

static bool
on_terminal(const struct canvas *c)
{
	return c->kind != CANVAS_FILE;
}

void
canvas_begin(struct canvas *c)
{
	c->out.len = 0;
	c->row = c->column = 0;
	if (on_terminal(c))
		buf_str(&c->out, STR(FRAME_BEGIN CSI "H"));
}

void
canvas_line(struct canvas *c)
{
	if (on_terminal(c)) {
		canvas_style(c, CANVAS_PLAIN);
		/* After a full line the cursor may be on the next one. */
		if (c->column < c->columns)
			buf_str(&c->out, STR(CSI "K"));
		buf_char(&c->out, '\r');
	}
	/* If there are too few rows, the last line shows the last text. */
	if (!on_terminal(c) || c->row + 1 < c->rows)
		buf_char(&c->out, '\n');
	c->row++;
	c->column = 0;
}

void
canvas_end(struct canvas *c)
{
	if (!on_terminal(c))
		return;
	canvas_style(c, CANVAS_PLAIN);
	if (c->column < c->columns)
		buf_str(&c->out, STR(CSI "J"));
	buf_str(&c->out, STR(FRAME_END));
}

void
canvas_style(struct canvas *c, unsigned style)
{
	static const char attribute[] = { '1', '2', '7', '4' };
	const unsigned hue = (style & CANVAS_HUES) >> 8;
	unsigned i;

	if (!on_terminal(c))
		return;
	buf_str(&c->out, STR(CSI "0"));
	for (i = 0; i < sizeof(attribute); i++) {
		if (style & 1u << i)
			buf_printf(&c->out, ";%c", attribute[i]);
	}
	if (hue > 0 && c->kind != CANVAS_MONO)
		buf_printf(&c->out, ";3%c", " 124"[hue]);
	buf_char(&c->out, 'm');
}

/* The nearest of the cube's levels 0, 95, 135, 175, 215, 255. */
static unsigned
cube_level(uint32_t part)
{
	return part < 48 ? 0 : part < 115 ? 1 : (part - 35) / 40;
}

static void
put_colour(struct canvas *c, char layer, uint32_t rgb)
{
	const uint32_t r = rgb >> 16 & 0xff, g = rgb >> 8 & 0xff,
		       b = rgb & 0xff;

	if (c->kind == CANVAS_COLOUR)
		buf_printf(&c->out, ";%c8;2;%u;%u;%u", layer, r, g, b);
	else
		buf_printf(&c->out, ";%c8;5;%u", layer,
			   16 + 36 * cube_level(r) + 6 * cube_level(g) +
			       cube_level(b));
}

void
canvas_colours(struct canvas *c, uint32_t text, uint32_t background)
{
	if (c->kind < CANVAS_256) {
		canvas_style(c, CANVAS_PLAIN);
		return;
	}
	buf_str(&c->out, STR(CSI "0"));
	put_colour(c, '3', text);
	put_colour(c, '4', background);
	buf_char(&c->out, 'm');
}

void
canvas_edge(struct canvas *c, uint32_t colour, bool reverse)
{
	if (c->kind < CANVAS_256)
		return;
	buf_str(&c->out, reverse ? STR(CSI "0;7") : STR(CSI "0"));
	put_colour(c, '3', colour);
	buf_char(&c->out, 'm');
}

size_t
canvas_room(const struct canvas *c)
{
	if (!on_terminal(c))
		return SIZE_MAX;
	return c->column < c->columns ? c->columns - c->column : 0;
}

void
canvas_text(struct canvas *c, const char *text)
{
	struct str s = str_of(text);

	if (s.len > canvas_room(c))
		s.len = canvas_room(c);
	buf_str(&c->out, s);
	c->column += s.len;
}

void
canvas_printf(struct canvas *c, const char *fmt, ...)
{
	va_list ap;
	char *text;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (n < 0)
		err(2, NULL);
	canvas_text(c, text);
	free(text);
}

/* Put ASCII, with a question mark for each other character. */
static void
put_ascii(struct canvas *c, struct str s)
{
	size_t i;

	for (i = 0; i < s.len; i++) {
		if ((s.p[i] & 0x80) == 0)
			buf_char(&c->out, s.p[i]);
		else if ((s.p[i] & 0xc0) == 0xc0)
			buf_char(&c->out, '?');
	}
}

void
canvas_name(struct canvas *c, struct str name, size_t cells)
{
	struct buf clean = { 0 }, shown = { 0 }, label = { 0 };

	if (name.len == 0)
		return;
	if (cells > canvas_room(c))
		cells = canvas_room(c);
	utf8_escape(&clean, name);
	label_name(&shown, buf_slice(&clean));
	label_cut(&label, buf_slice(&shown), cells);
	if (!on_terminal(c) || c->utf8)
		buf_str(&c->out, buf_slice(&label));
	else
		put_ascii(c, buf_slice(&label));
	c->column += label_width(buf_slice(&label));
	buf_free(&clean);
	buf_free(&shown);
	buf_free(&label);
}

void
canvas_pad(struct canvas *c, size_t column)
{
	if (on_terminal(c) && column > c->columns)
		column = c->columns;
	for (; c->column < column; c->column++)
		buf_char(&c->out, ' ');
}

void
canvas_move(struct canvas *c, size_t column)
{
	if (!on_terminal(c))
		return;
	buf_printf(&c->out, CSI "%zuG", column + 1);
	c->column = column;
}

void
canvas_eighths(struct canvas *c, unsigned n)
{
	if (canvas_room(c) == 0)
		return;
	if (n == 0 || !c->utf8 || c->kind < CANVAS_256)
		buf_char(&c->out, ' ');
	else
		buf_printf(&c->out, "\xe2\x96%c", 0x90 - (int)n);
	c->column++;
}
