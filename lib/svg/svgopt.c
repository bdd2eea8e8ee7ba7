/* svgopt.c - the options of flamegraph(1). */
#include "svg/svgopt.h"

#include "base/utf8.h"
#include "os/source_tree.h"

#include <err.h>
#include <stdlib.h>
#include <unistd.h>

enum {
	OPT_TITLE = CMD_LONG,
	OPT_SUBTITLE,
	OPT_WIDTH,
	OPT_HEIGHT,
	OPT_MINWIDTH,
	OPT_FONTTYPE,
	OPT_FONTSIZE,
	OPT_FONTWIDTH,
	OPT_COUNTNAME,
	OPT_NAMETYPE,
	OPT_COLORS,
	OPT_BGCOLORS,
	OPT_HASH,
	OPT_RANDOM,
	OPT_CP,
	OPT_REVERSE,
	OPT_INVERTED,
	OPT_FLAMECHART,
	OPT_NEGATE,
	OPT_NOTES,
	OPT_NAMEATTR,
	OPT_TOTAL,
	OPT_FACTOR,
	OPT_ENCODING,
	OPT_COUNTS,
	OPT_DIFF,
	OPT_RATIO,
	OPT_STATIC,
	OPT_MAX_FRAMES,
	OPT_NO_DEFLATE,
	OPT_FOLLOW,
	OPT_FORMAT,
	OPT_REFRESH,
	OPT_HEATMAP,
	OPT_COLUMN,
	OPT_ROWS,
	OPT_NO_TIMELINE,
	OPT_EVENT_FILTER,
	OPT_SOURCE
};

const struct cmd_option svgopt_table[] = {
	{ "title", OPT_TITLE, "TEXT", "title of the picture", true },
	{ "subtitle", OPT_SUBTITLE, "TEXT", "second line below the title",
	  true },
	{ "width", OPT_WIDTH, "N", "width in pixels (default: fluid)", true },
	{ "height", OPT_HEIGHT, "N", "height of a frame in pixels (default 16)",
	  true },
	{ "minwidth", OPT_MINWIDTH, "N[%]",
	  "least width of frames without script (default 0.5)", true },
	{ "fonttype", OPT_FONTTYPE, "FONT",
	  "font of labels (default monospace)", true },
	{ "fontsize", OPT_FONTSIZE, "N", "font size (default 12)", true },
	{ "fontwidth", OPT_FONTWIDTH, "N",
	  "width of a character in ems (default 0.602)", true },
	{ "countname", OPT_COUNTNAME, "TEXT",
	  "unit of the counts, as samples or bytes", true },
	{ "nametype", OPT_NAMETYPE, "TEXT",
	  "word before names in details (default Function:)", true },
	{ "colors", OPT_COLORS, "PALETTE",
	  "colour by this palette(5), a name or a file", true },
	{ "palette", 'p', "PALETTE", "same as --colors", false },
	{ "bgcolors", OPT_BGCOLORS, "COLOR",
	  "background: yellow, blue, green, grey or #rrggbb", true },
	{ "hash", OPT_HASH, NULL, "choose shades by FlameGraph's hash of names",
	  true },
	{ "random", OPT_RANDOM, NULL,
	  "choose other shades, the same in each run", true },
	{ "cp", OPT_CP, NULL, "read colours from ./palette.map first", true },
	{ "reverse", OPT_REVERSE, NULL, "merge stacks from their leaves",
	  true },
	{ "inverted", OPT_INVERTED, NULL, "draw icicles: the root at the top",
	  true },
	{ "flamechart", OPT_FLAMECHART, NULL,
	  "keep the order of the input, as in time", true },
	{ "negate", OPT_NEGATE, NULL, "swap the colours of a diff", true },
	{ "notes", OPT_NOTES, "TEXT", "add a comment to the file", true },
	{ "nameattr", OPT_NAMEATTR, "FILE",
	  "read titles and links of functions from FILE", true },
	{ "total", OPT_TOTAL, "N", "width of the root frame, in counts", true },
	{ "factor", OPT_FACTOR, "X", "multiply the counts in labels by X",
	  true },
	{ "encoding", OPT_ENCODING, "NAME",
	  "ignored: pictures are always UTF-8", true },
	{ "counts", OPT_COUNTS, "1|2", "number of counts per line", false },
	{ "diff-colors", OPT_DIFF, "self|total|all",
	  "colour a diff by this change", false },
	{ "ratio", OPT_RATIO, "A/B",
	  "colour by A / B, events of the two counts", false },
	{ "static", OPT_STATIC, NULL, "draw without script", false },
	{ "max-frames", OPT_MAX_FRAMES, "N",
	  "merge the smallest frames beyond N (1000000)", false },
	{ "no-deflate", OPT_NO_DEFLATE, NULL,
	  "do not compress the table, for browsers before 2023", false },
	{ "output", 'o', "FILE",
	  "write to FILE atomically; x.html makes a page", false },
	{ "follow", OPT_FOLLOW, NULL, "draw again at each snapshot of a stream",
	  false },
	{ "refresh", OPT_REFRESH, "SECONDS",
	  "with --follow, reload the picture in browsers", false },
	{ "format", OPT_FORMAT, "svg|html", "write an SVG, or an HTML page",
	  false },
	{ "heatmap", OPT_HEATMAP, NULL,
	  "draw a heat map of sample times above the picture", false },
	{ "column", OPT_COLUMN, "SECONDS",
	  "seconds per column of the heat map (default 1)", false },
	{ "rows", OPT_ROWS, "N", "rows of the heat map (default 50 at most)",
	  false },
	{ "no-timeline", OPT_NO_TIMELINE, NULL,
	  "omit the timeline above the picture of a stream", false },
	{ "event-filter", OPT_EVENT_FILTER, "EVENT",
	  "count this event of a stream, or all", false },
	{ "source", OPT_SOURCE, "DIR",
	  "embed source lines; needs frames with lines", false },
	{ NULL, 0, NULL, NULL, false }
};

/* Text of the command line, cleaned to valid UTF-8. */
static struct str
text(struct svgopt *o)
{
	struct buf clean = { 0 };
	struct str s;

	utf8_escape(&clean, str_of(o->cmd->value));
	s = arena_str(&o->text, buf_slice(&clean));
	buf_free(&clean);
	return s;
}

static double
number(const struct svgopt *o, const char *name, double min, double max)
{
	char *end;
	double x = strtod(o->cmd->value, &end);

	if (end == o->cmd->value || *end != '\0' || !(x >= min && x <= max))
		cmd_usage(o->cmd, "bad --%s: %s", name, o->cmd->value);
	return x;
}

static int
integer(const struct svgopt *o, const char *name, int min, int max)
{
	double x = number(o, name, min, max);

	if (x != (int)x)
		cmd_usage(o->cmd, "bad --%s: %s", name, o->cmd->value);
	return (int)x;
}

static void
set_min_width(struct svgopt *o)
{
	char *end = strchr(o->cmd->value, '%');

	o->svg.min_percent = end != NULL && end[1] == '\0';
	if (o->svg.min_percent)
		*end = '\0';
	o->svg.min_width = number(o, "minwidth", 0, 1e9);
}

static void
set_background(struct svgopt *o)
{
	static const struct {
		const char *name;
		uint32_t top, bottom;
	} known[] = { { "yellow", 0xeeeeee, 0xeeeeb0 },
		      { "blue", 0xeeeeee, 0xe0e0ff },
		      { "green", 0xeef2ee, 0xe0ffe0 },
		      { "grey", 0xf8f8f8, 0xe8e8e8 } };
	const char *value = o->cmd->value;
	uint64_t rgb;
	size_t i;

	o->svg.has_background = true;
	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strcmp(value, known[i].name) != 0)
			continue;
		o->svg.background[0] = known[i].top;
		o->svg.background[1] = known[i].bottom;
		return;
	}
	if (strlen(value) != 7 || *value != '#' ||
	    !str_hex(str_of(value + 1), &rgb))
		cmd_usage(o->cmd, "bad --bgcolors: %s", value);
	o->svg.background[0] = o->svg.background[1] = (uint32_t)rgb;
}

/* Parse one of two words. */
static bool
is_second(const struct svgopt *o, const char *name, const char *first,
	  const char *second)
{
	if (strcmp(o->cmd->value, first) != 0 &&
	    strcmp(o->cmd->value, second) != 0)
		cmd_usage(o->cmd, "bad --%s: %s", name, o->cmd->value);
	return strcmp(o->cmd->value, second) == 0;
}

/* Apply an option about times. */
static void
set_heat(struct svgopt *o, int option)
{
	switch (option) {
	case OPT_HEATMAP:
		/* Keep the root next to the heat map, whatever range is
		 * selected. */
		o->has_heat = o->svg.inverted = true;
		break;
	case OPT_COLUMN:
		o->heat.span =
		    (uint64_t)(number(o, "column", 0.001, 1e6) * 1e9 + 0.5);
		break;
	case OPT_ROWS:
		o->heat.rows = (uint32_t)integer(o, "rows", 1, 500);
		break;
	case OPT_NO_TIMELINE:
		o->no_timeline = true;
		break;
	case OPT_EVENT_FILTER:
		o->event = o->cmd->value;
		break;
	}
}

/* Apply an option about frames. */
static void
set_look(struct svgopt *o, int option)
{
	struct svg *s = &o->svg;

	switch (option) {
	case OPT_WIDTH:
		s->width = integer(o, "width", 100, 1000000);
		break;
	case OPT_HEIGHT:
		s->frame_height = integer(o, "height", 1, 1000);
		break;
	case OPT_MINWIDTH:
		set_min_width(o);
		break;
	case OPT_FONTTYPE:
		s->font = text(o);
		break;
	case OPT_FONTSIZE:
		s->font_size = number(o, "fontsize", 1, 1000);
		break;
	case OPT_FONTWIDTH:
		s->font_width = number(o, "fontwidth", 0.01, 100);
		break;
	case OPT_COLORS:
	case 'p':
		o->colors = o->cmd->value;
		break;
	case OPT_BGCOLORS:
		set_background(o);
		break;
	case OPT_HASH:
		o->shade = SHADE_HASH;
		break;
	case OPT_RANDOM:
		o->shade = SHADE_RANDOM;
		break;
	case OPT_CP:
		o->use_map = true;
		break;
	case OPT_NAMEATTR:
		if (o->source_folder >= 0)
			close(o->source_folder);
		nameattr_free(o->attr);
		s->attr = o->attr = nameattr_read(o->cmd->value);
		break;
	}
}

static bool
has_ending(const char *path, const char *ending)
{
	size_t n = strlen(path), m = strlen(ending);

	return n > m && strcasecmp(path + n - m, ending) == 0;
}

/* The format follows the ending of the file, unless --format says otherwise. */
static void
set_file(struct svgopt *o)
{
	/* What rsvg-convert(1) writes. */
	static const char *const others[] = { ".png", ".pdf", ".ps", ".eps" };
	const char *path = o->cmd->value;
	size_t i;

	o->output = strcmp(path, "-") == 0 ? NULL : path;
	for (i = 0; i < sizeof(others) / sizeof(*others); i++) {
		if (!has_ending(path, others[i]))
			continue;
		cmd_usage(o->cmd,
			  "-o %s: flamegraph writes SVG and HTML; write "
			  "out.svg, then: rsvg-convert -f %s -o %s out.svg",
			  path, others[i] + 1, path);
	}
	if (!o->format_given)
		o->svg.html = has_ending(path, ".html") ||
			      has_ending(path, ".htm");
}

static void
set_source(struct svgopt *o)
{
	o->source = o->cmd->value;
	if (o->source_folder >= 0)
		close(o->source_folder);
	o->source_folder = source_tree_open(o->source);
	if (o->source_folder < 0)
		err(2, "--source %s", o->source);
}

static void
set_output(struct svgopt *o, int option)
{
	switch (option) {
	case 'o':
		set_file(o);
		break;
	case OPT_FOLLOW:
		o->follow = true;
		break;
	case OPT_SOURCE:
		set_source(o);
		break;
	case OPT_REFRESH:
		o->svg.refresh = number(o, "refresh", 0.1, 1e6);
		break;
	case OPT_FORMAT:
		o->format_given = true;
		o->svg.html = is_second(o, "format", "svg", "html");
		break;
	}
}

static void
set_text(struct svgopt *o, int option)
{
	struct svg *s = &o->svg;

	switch (option) {
	case OPT_TITLE:
		s->title = text(o);
		break;
	case OPT_SUBTITLE:
		s->subtitle = text(o);
		break;
	case OPT_COUNTNAME:
		s->number.unit = text(o);
		break;
	case OPT_NAMETYPE:
		s->type = text(o);
		break;
	case OPT_NOTES:
		s->notes = text(o);
		break;
	}
}

void
svgopt_set(struct svgopt *o, int option)
{
	struct svg *s = &o->svg;

	switch (option) {
	case OPT_REVERSE:
		s->reversed = true;
		break;
	case OPT_INVERTED:
		s->inverted = true;
		break;
	case OPT_FLAMECHART:
		s->chart = true;
		break;
	case OPT_NEGATE:
		s->negate = true;
		break;
	case OPT_TOTAL:
		if (count_parse(str_of(o->cmd->value), &s->total) != COUNT_OK)
			cmd_usage(o->cmd, "bad --total: %s", o->cmd->value);
		break;
	case OPT_FACTOR:
		s->number.factor = number(o, "factor", 1e-18, 1e18);
		s->number.decimals = s->number.factor < 1 ? 2 : 0;
		break;
	case OPT_COUNTS:
		o->counts = 1 + is_second(o, "counts", "1", "2");
		break;
	case OPT_DIFF:
		o->diff_given = true;
		s->diff = strcmp(o->cmd->value, "all") == 0 ||
				  is_second(o, "diff", "self", "total") ?
			      SVG_DIFF_TOTAL :
			      SVG_DIFF_SELF;
		break;
	case OPT_RATIO:
		if (!event_ratio_parse(text(o), &o->ratio))
			cmd_usage(o->cmd,
				  "--ratio must be two events with a slash "
				  "between them, not %s",
				  o->cmd->value);
		break;
	case OPT_STATIC:
		s->no_script = true;
		break;
	case OPT_MAX_FRAMES:
		o->max_frames = (uint32_t)integer(o, "max-frames", 1, 1 << 30);
		break;
	case OPT_NO_DEFLATE:
		s->no_deflate = true;
		break;
	default:
		set_look(o, option);
		set_output(o, option);
		set_text(o, option);
		set_heat(o, option);
	}
}

void
svgopt_check(const struct svgopt *o)
{
	if (o->has_heat && o->svg.chart)
		cmd_usage(o->cmd,
			  "--heatmap and --flamechart exclude each other");
	if (!o->has_heat && (o->heat.span > 0 || o->heat.rows > 0))
		cmd_usage(o->cmd, "--column and --rows are for --heatmap");
	if (o->source != NULL && o->svg.no_script)
		cmd_usage(o->cmd, "--source and --static exclude each other");
	if (o->svg.refresh > 0 && !o->follow)
		cmd_usage(o->cmd, "--refresh is for --follow");
	if (!o->follow)
		return;
	if (o->output == NULL)
		cmd_usage(o->cmd, "--follow needs a file, -o");
	if (o->has_heat || o->svg.chart)
		cmd_usage(o->cmd, "--follow is not for --heatmap or "
				  "--flamechart");
}

struct palette *
svgopt_palette(const struct svgopt *o)
{
	struct palette *p = palette_new(o->colors, o->shade);

	if (o->use_map)
		palette_read_map(p, "palette.map");
	return p;
}

void
svgopt_init(struct svgopt *o, struct cmd *cmd)
{
	*o = (struct svgopt){ .cmd = cmd,
			      .max_frames = 1000000,
			      .source_folder = -1 };
	o->svg.type = STR("Function:");
	o->svg.font_size = 12;
	o->svg.font_width = 0.602;
	o->svg.frame_height = 16;
	o->svg.min_width = 0.5;
	o->svg.number.factor = 1;
}

void
svgopt_free(struct svgopt *o)
{
	nameattr_free(o->attr);
	heatmap_free(&o->heat);
	arena_free(&o->text);
}
