/* svg.h - draw a tree of frames as a picture. */
#ifndef SVG_H
#define SVG_H

#include "heat.h"
#include "nameattr.h"
#include "svgnames.h"
#include "svgtext.h"
#include "verdict.h"

#include <stdio.h>

/* What change colours a frame: own, total, or total where it was judged. */
enum svg_diff { SVG_DIFF_SELF, SVG_DIFF_TOTAL, SVG_DIFF_JUDGED };

/* How a picture looks.  Text may hold anything; it stays text. */
struct svg {
	struct str title, subtitle, notes;
	struct str about;  /* a line of what is known about the data */
	struct str header; /* metadata of the data, for unflame(1) */
	struct str type;   /* what the names are: "Function:" */
	struct str font;   /* empty: the fonts of the style */
	double font_size;  /* px */
	double font_width; /* of a character, in font_size */
	int frame_height;  /* px */
	int width;         /* px; 0: as wide as the window, drawn at 1200 */
	double min_width;  /* px of what is drawn without the script ... */
	bool min_percent;  /* ... or percent of all */
	struct svgtext_number number;
	struct count total; /* more than there is: leave room; or zero */
	uint64_t samples;   /* behind the counts; 0 if unknown */
	bool has_background;
	uint32_t background[2]; /* 0xrrggbb, top and bottom */
	enum svg_diff diff;
	bool inverted, reversed, chart, negate;
	bool no_script; /* neither table nor script */
	double refresh; /* s after which a page reloads it; 0 for never */
	bool no_deflate;
	bool html;
	const struct nameattr *attr;     /* may be NULL */
	const struct verdicts *verdicts; /* NULL if there was no test */
	const struct heat *heat;         /* finished, or NULL for none */
	struct str clock;                /* of its times, may be empty */
};

/* How far apart the margins are, px. */
double svg_inner(const struct svg *s);

/* Write the picture of a finished tree. */
void svg_write(const struct svg *s, const struct tree *t,
	       const struct svgnames *names, FILE *out);

#endif
