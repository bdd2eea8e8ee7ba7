/* svg.h - draw a tree of frames as an SVG or HTML flame graph. */
#ifndef SVG_H
#define SVG_H

#include "folded/label.h"
#include "svg/heatmap.h"
#include "svg/nameattr.h"
#include "svg/svgnames.h"
#include "svg/svgratio.h"
#include "svg/timeline.h"
#include "tree/verdict.h"

#include <stdio.h>

/* The colour of a frame with two counts shows the change of its self count, of
 * its total, of its total if folddiff(1) tested it, or the ratio of both. */
enum svg_diff {
	SVG_DIFF_SELF,
	SVG_DIFF_TOTAL,
	SVG_DIFF_JUDGED,
	SVG_DIFF_RATIO
};

/* How a picture looks.  Text may hold any bytes: it is escaped. */
struct svg {
	struct str title, subtitle, notes;
	struct str
	    about; /* one line about the data: event, rate, what is missing */
	struct str header; /* metadata line of the profile, for unflame(1) */
	struct str type;   /* label of a name: "Function:" */
	struct str font;   /* empty: the fonts of the style sheet */
	double font_size;  /* px */
	double font_width; /* width of a character, in font sizes */
	int frame_height;  /* px */
	int width;         /* px; 0: fluid, with a static drawing of 1200 px */
	double min_width; /* narrowest frame of the static drawing, in px ... */
	bool min_percent; /* ... or in percent of the total */
	struct label_number number;
	struct count total; /* width of the root frame, in counts; zero: sum of
			       the stacks */
	uint64_t samples;   /* number of samples; 0 if unknown */
	bool has_background;
	uint32_t background[2]; /* 0xrrggbb, top and bottom */
	enum svg_diff diff;
	const struct svgratio *ratio; /* for SVG_DIFF_RATIO */
	bool inverted, reversed, chart, negate;
	bool tall;      /* inverted only because there are many rows */
	bool no_script; /* static: neither table nor script */
	double refresh; /* seconds until the page reloads itself; 0: never */
	bool no_deflate;
	bool html;
	const struct nameattr *attr; /* may be NULL */
	const struct verdicts
	    *verdicts;              /* NULL without a test by folddiff(1) */
	const struct heatmap *heat; /* finished, or NULL */
	const struct timeline *timeline; /* finished, or NULL */
	struct str source;               /* table of svgsource.h, or empty */
	struct str clock;                /* clock of its times, may be empty */
};

/* Return the width between the margins, in px. */
double svg_inner(const struct svg *s);

/* Write the picture of a finished tree to out. */
void svg_write(const struct svg *s, const struct tree *t,
	       const struct svgnames *names, FILE *out);

#endif
