/* palette.c - which colour a frame has. */
#include "palette.h"

#include "arena.h"
#include "assets.h"
#include "buf.h"
#include "folded.h"
#include "hash.h"
#include "input.h"
#include "mem.h"
#include "regex.h"
#include "shade.h"

#include <err.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* A frame for which no rule is: grey. */
#define NO_RULE ((struct colour){ 0xc5c7cb, 0x525456 })

/* A class has shades to choose from, or a formula for each part. */
struct class
{
	struct str name;
	uint32_t *light, *dark;
	size_t nlight, ndark, light_cap, dark_cap;
	bool has_formula;
	struct shade_formula formula;
};

struct rule {
	size_t class;
	char suffix;         /* 0 if any */
	struct regex *regex; /* NULL matches all */
};

/* A colour of a palette.map. */
struct mapped {
	uint32_t rgb;
	bool set;
};

struct palette {
	enum palette_shade shade;
	struct class *class;
	struct rule *rule;
	size_t nclass, class_cap, nrule, rule_cap;
	struct arena text;
	struct intern *map_names;
	struct mapped *map;
	size_t map_cap;
};

/* Where a palette is being read, for messages. */
struct place {
	const char *path;
	uint64_t line;
	int depth; /* of include */
};

static void read_palette(struct palette *p, const char *name, int depth);

static void __attribute__((format(printf, 2, 3), noreturn))
bad(const struct place *at, const char *fmt, ...)
{
	va_list ap;
	char why[400];

	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	errx(2, "%s:%" PRIu64 ": %s", at->path, at->line, why);
}

/* The next word of a line, empty at its end. */
static struct str
next_word(struct str *line)
{
	struct str word;

	*line = str_trim(*line);
	word = str_cut(line, ' ');
	return word;
}

static size_t
find_class(const struct palette *p, struct str name)
{
	size_t i;

	for (i = 0; i < p->nclass; i++) {
		if (str_eq(p->class[i].name, name))
			break;
	}
	return i;
}

static void
parse_shades(const struct place *at, struct str list, uint32_t **shade,
	     size_t *n, size_t *cap)
{
	struct str word;
	uint64_t rgb;

	while (list.len > 0) {
		word = str_cut(&list, ',');
		if (str_starts(word, STR("#")))
			word = str_skip(word, 1);
		if (word.len != 6 || !str_hex(word, &rgb))
			bad(at, "no colour: %.*s", (int)word.len, word.p);
		*shade = mem_grow(*shade, cap, *n + 1, sizeof(**shade));
		(*shade)[(*n)++] = (uint32_t)rgb;
	}
}

/* class NAME [suffix=X] light=RGB,... [dark=RGB,...] | gen=R,G,B */
static void
parse_class(struct palette *p, const struct place *at, struct str line)
{
	struct class c = { .name = next_word(&line) };
	struct str word;

	c.name = arena_str(&p->text, c.name);
	for (word = next_word(&line); word.len > 0; word = next_word(&line)) {
		if (str_starts(word, STR("light=")))
			parse_shades(at, str_skip(word, 6), &c.light, &c.nlight,
				     &c.light_cap);
		else if (str_starts(word, STR("dark=")))
			parse_shades(at, str_skip(word, 5), &c.dark, &c.ndark,
				     &c.dark_cap);
		else if (str_starts(word, STR("gen=")))
			c.has_formula = shade_parse(str_skip(word, 4),
						    &c.formula);
		else if (!str_starts(word, STR("suffix=")))
			bad(at, "unknown word: %.*s", (int)word.len, word.p);
	}
	if (c.nlight == 0 && !c.has_formula)
		bad(at, "a class without colours");
	p->class = mem_grow(p->class, &p->class_cap, p->nclass + 1,
			    sizeof(*p->class));
	p->class[p->nclass++] = c;
}

/* What stands between the first and the last slash, and an i behind it. */
static struct regex *
parse_pattern(const struct place *at, struct str s)
{
	const char *end = s.len > 0 ? memrchr(s.p, '/', s.len) : NULL;
	struct str flags, pattern;
	struct buf why = { 0 };
	struct regex *r;

	if (end == NULL || end == s.p)
		bad(at, "no pattern between slashes");
	flags = str_range(end + 1, s.p + s.len);
	if (flags.len > 0 && !str_eq(flags, STR("i")))
		bad(at, "unknown flags: %.*s", (int)flags.len, flags.p);
	pattern = str_range(s.p + 1, end);
	if (pattern.len == 0)
		return NULL;
	r = regex_new(pattern, flags.len > 0, &why);
	if (r == NULL)
		bad(at, "%.*s", (int)why.len, why.p);
	buf_free(&why);
	return r;
}

/*
 * rule CLASS [suffix=X] [caller=C] [callee=C] [under=C] /PCRE2/[i]
 *
 * What stands around a frame is not known here, where a name has one colour;
 * rules that ask for it are foldcolor's.
 */
static void
parse_rule(struct palette *p, const struct place *at, struct str line)
{
	struct rule r = { 0 };
	struct str word = next_word(&line);
	bool context = false;

	r.class = find_class(p, word);
	if (r.class == p->nclass)
		bad(at, "unknown class: %.*s", (int)word.len, word.p);
	for (;;) {
		line = str_trim(line);
		if (line.len == 0 || *line.p == '/')
			break;
		word = next_word(&line);
		if (word.len == 8 && str_starts(word, STR("suffix=")))
			r.suffix = word.p[7];
		else if (str_starts(word, STR("caller=")) ||
			 str_starts(word, STR("callee=")) ||
			 str_starts(word, STR("under=")))
			context = true;
		else
			bad(at, "unknown word: %.*s", (int)word.len, word.p);
	}
	r.regex = parse_pattern(at, line);
	if (context) {
		regex_free(r.regex);
		return;
	}
	p->rule = mem_grow(p->rule, &p->rule_cap, p->nrule + 1,
			   sizeof(*p->rule));
	p->rule[p->nrule++] = r;
}

static void
parse_line(struct palette *p, const struct place *at, struct str line)
{
	struct str word;

	line = str_trim(line);
	if (line.len == 0 || *line.p == '#')
		return;
	word = next_word(&line);
	if (str_eq(word, STR("class")))
		parse_class(p, at, line);
	else if (str_eq(word, STR("rule")))
		parse_rule(p, at, line);
	else if (str_eq(word, STR("include")))
		read_palette(p, arena_str(&p->text, str_trim(line)).p,
			     at->depth + 1);
	else if (!str_eq(word, STR("rename")))
		bad(at, "unknown word: %.*s", (int)word.len, word.p);
}

static void
read_text(struct palette *p, struct place at, struct str text)
{
	while (text.len > 0) {
		at.line++;
		parse_line(p, &at, str_cut(&text, '\n'));
	}
}

static void
read_file(struct palette *p, struct place at)
{
	struct tally tally = { 0 };
	struct input in;
	struct str line;

	input_open(&in, at.path, &tally);
	while (input_line(&in, &line)) {
		at.line = in.line;
		if (str_ends(line, STR("\r")))
			line.len--;
		parse_line(p, &at, line);
	}
	input_close(&in);
}

/* Whether folder/tail/NAME.palette can be read; if so, it is in *path. */
static bool
try_folder(struct buf *path, struct str folder, const char *tail,
	   const char *name)
{
	path->len = 0;
	buf_str(path, folder);
	buf_printf(path, "%s/%s.palette", tail, name);
	return folder.len > 0 && access(path->p, R_OK) == 0;
}

/* The folder of an installation that was moved: ../share of the program. */
static bool
try_beside(struct buf *path, const char *name)
{
	char program[4096];
	ssize_t n = readlink("/proc/self/exe", program, sizeof(program));
	struct str folder = { program, n > 0 ? (size_t)n : 0 };

	folder.len -= str_basename(folder).len;
	return try_folder(path, folder, "../share/foldstack/palettes", name);
}

/* Look a name up in the folders of palette(5). */
static bool
find_palette(struct buf *path, const char *name)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	const char *data = getenv("XDG_DATA_DIRS");
	struct str dirs = str_of(data != NULL && *data != '\0' ?
				     data :
				     "/usr/local/share:/usr/share");

	if (try_folder(path, STR("."), "", name))
		return true;
	if (config != NULL && *config != '\0') {
		if (try_folder(path, str_of(config), "/foldstack/palettes",
			       name))
			return true;
	} else if (home != NULL &&
		   try_folder(path, str_of(home), "/.config/foldstack/palettes",
			      name))
		return true;
	while (dirs.len > 0) {
		if (try_folder(path, str_cut(&dirs, ':'), "/foldstack/palettes",
			       name))
			return true;
	}
	return try_folder(path, STR(PKGDATADIR), "/palettes", name) ||
	       try_beside(path, name);
}

static void
read_palette(struct palette *p, const char *name, int depth)
{
	bool is_path = strchr(name, '/') != NULL ||
		       str_ends(str_of(name), STR(".palette"));
	struct place at = { name, 0, depth };
	struct buf path = { 0 };

	if (depth > 8)
		errx(2, "palette %s: include too deep", name);
	if (is_path) {
		read_file(p, at);
	} else if (find_palette(&path, name)) {
		at.path = path.p;
		read_file(p, at);
	} else if (strcmp(name, "default") == 0) {
		read_text(p, at, asset_default_palette);
	} else {
		errx(2,
		     "no palette %s: no %s.palette in the places "
		     "palette(5) names",
		     name, name);
	}
	buf_free(&path);
}

struct palette *
palette_new(const char *name, enum palette_shade shade)
{
	struct palette *p = mem_zero(1, sizeof(*p));
	struct place builtin = { "built-in palette", 0, 0 };

	p->shade = shade;
	p->map_names = intern_new();
	if (name == NULL)
		read_text(p, builtin, asset_default_palette);
	else
		read_palette(p, name, 0);
	return p;
}

void
palette_free(struct palette *p)
{
	size_t i;

	if (p == NULL)
		return;
	for (i = 0; i < p->nclass; i++) {
		free(p->class[i].light);
		free(p->class[i].dark);
	}
	for (i = 0; i < p->nrule; i++)
		regex_free(p->rule[i].regex);
	free(p->class);
	free(p->rule);
	free(p->map);
	intern_free(p->map_names);
	arena_free(&p->text);
	free(p);
}

/* rgb(1,2,3) */
static bool
parse_rgb(struct str s, uint32_t *rgb)
{
	uint64_t part;
	int i;

	if (!str_starts(s, STR("rgb(")) || !str_ends(s, STR(")")))
		return false;
	s = str_range(s.p + 4, s.p + s.len - 1);
	*rgb = 0;
	for (i = 0; i < 3; i++) {
		if (!str_u64(str_cut(&s, ','), &part) || part > 255)
			return false;
		*rgb = *rgb << 8 | (uint32_t)part;
	}
	return s.len == 0;
}

static void
map_name(struct palette *p, struct str name, uint32_t rgb)
{
	size_t old = p->map_cap;
	uint32_t id = intern_id(p->map_names, name);

	p->map = mem_grow(p->map, &p->map_cap, (size_t)id + 1, sizeof(*p->map));
	memset(p->map + old, 0, (p->map_cap - old) * sizeof(*p->map));
	p->map[id] = (struct mapped){ rgb, true };
}

void
palette_read_map(struct palette *p, const char *path)
{
	struct tally tally = { 0 };
	struct input in;
	struct str line, name;
	const char *arrow;
	uint32_t rgb;

	if (access(path, F_OK) != 0)
		return;
	input_open(&in, path, &tally);
	while (input_line(&in, &line)) {
		arrow = str_search(line, STR("->rgb("));
		if (arrow == NULL)
			continue;
		name = str_range(line.p, arrow);
		if (parse_rgb(str_range(arrow + 2, line.p + line.len), &rgb))
			map_name(p, name, rgb);
	}
	input_close(&in);
}

static bool
rule_matches(const struct rule *r, struct str name, char suffix)
{
	return (r->suffix == 0 || r->suffix == suffix) &&
	       (r->regex == NULL || regex_match(r->regex, name));
}

static struct colour
class_colour(const struct palette *p, const struct class *c, struct str name,
	     struct str frame)
{
	struct colour colour;
	uint64_t hash;

	if (c->has_formula) {
		colour.light = shade_colour(&c->formula, p->shade, frame);
		colour.dark = colour.light;
		return colour;
	}
	hash = hash_bytes(name.p, name.len);
	if (p->shade == SHADE_RANDOM)
		hash = hash * 0x9e3779b97f4a7c15 >> 32;
	colour.light = c->light[hash % c->nlight];
	colour.dark = c->ndark == 0 ? colour.light : c->dark[hash % c->ndark];
	return colour;
}

struct colour
palette_colour(const struct palette *p, struct str frame)
{
	char suffix;
	struct str name = frame_name(frame, &suffix);
	uint32_t id, n = intern_size(p->map_names);
	size_t i;

	if (n > 0) {
		id = intern_id(p->map_names, frame);
		if (id < n && id < p->map_cap && p->map[id].set)
			return (struct colour){ p->map[id].rgb,
						p->map[id].rgb };
	}
	for (i = 0; i < p->nrule; i++) {
		if (rule_matches(&p->rule[i], name, suffix))
			return class_colour(p, &p->class[p->rule[i].class],
					    name, frame);
	}
	return NO_RULE;
}

/* Relative luminance of a part, WCAG 2. */
static double
linear(uint32_t part)
{
	double c = part / 255.0;

	return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

bool
colour_wants_black(uint32_t rgb)
{
	double l = 0.2126 * linear(rgb >> 16) +
		   0.7152 * linear(rgb >> 8 & 0xff) +
		   0.0722 * linear(rgb & 0xff);

	/* Contrast with black above contrast with white. */
	return (l + 0.05) * (l + 0.05) > 0.05 * 1.05;
}
