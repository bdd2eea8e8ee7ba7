/* palfile.c - parser of palette files. */
#include "palette/palfile.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "cli/assets.h"
#include "io/input.h"
#include "os/datafile.h"

#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

/* Print this many errors, and only count the others. */
#define MAX_PRINTED 20

/* The depth of palettes that include each other. */
#define MAX_DEPTH 8

/* State of the parser in one file. */
struct palfile_parser {
	struct palfile *p;
	struct palfile_place place;
	int depth;
};

static void read_palette(struct palfile *p, const char *name,
			 const struct palfile_parser *from);

/* Report an error at a place of the line; returns false. */
static bool __attribute__((format(printf, 3, 4)))
bad(const struct palfile_parser *parser, const char *at, const char *fmt, ...)
{
	size_t column = (size_t)(at - parser->place.text.p) + 1;
	struct buf text = { 0 }, safe = { 0 };
	char *why;
	va_list ap;

	if (parser->p->errors++ >= MAX_PRINTED)
		return false;
	va_start(ap, fmt);
	if (vasprintf(&why, fmt, ap) < 0)
		err(2, NULL);
	va_end(ap);
	buf_printf(&text, "%s:%" PRIu64 ":%zu: %s", parser->place.path,
		   parser->place.line, column, why);
	utf8_escape(&safe, buf_slice(&text));
	warnx("%.*s", (int)safe.len, safe.p);
	buf_free(&text);
	buf_free(&safe);
	free(why);
	return false;
}

static struct str
skip_blanks(struct str s)
{
	while (s.len > 0 && (*s.p == ' ' || *s.p == '\t'))
		s = str_skip(s, 1);
	return s;
}

/* The next word of a line, empty at its end. */
static struct str
next_word(struct str *line)
{
	struct str s = skip_blanks(*line), word = { s.p, 0 };

	while (word.len < s.len && s.p[word.len] != ' ' &&
	       s.p[word.len] != '\t')
		word.len++;
	*line = str_skip(s, word.len);
	return word;
}

static size_t
find_class(const struct palfile *p, struct str name)
{
	size_t i;

	for (i = 0; i < p->nclass; i++) {
		if (str_eq(p->class[i].name, name))
			break;
	}
	return i;
}

static bool
parse_suffix(const struct palfile_parser *parser, struct str s, char *suffix)
{
	if (s.len != 1 || strchr("kjiw01", *s.p) == NULL)
		return bad(parser, s.p, "a suffix must be k, j, i, w, 0 or 1");
	*suffix = *s.p;
	return true;
}

static bool
parse_shades(const struct palfile_parser *parser, struct str list,
	     uint32_t **shade, size_t *n, size_t *cap)
{
	struct str word, digits;
	uint64_t rgb;

	while (list.len > 0) {
		word = digits = str_cut(&list, ',');
		if (str_starts(digits, STR("#")))
			digits = str_skip(digits, 1);
		if (digits.len != 6 || !str_hex(digits, &rgb))
			return bad(parser, word.p, "no colour: %.*s",
				   (int)word.len, word.p);
		*shade = mem_grow(*shade, cap, *n + 1, sizeof(**shade));
		(*shade)[(*n)++] = (uint32_t)rgb;
	}
	return true;
}

static bool
parse_class_word(const struct palfile_parser *parser, struct str word,
		 struct palfile_class *c)
{
	if (str_starts(word, STR("light=")))
		return parse_shades(parser, str_skip(word, 6), &c->light,
				    &c->nlight, &c->light_cap);
	if (str_starts(word, STR("dark=")))
		return parse_shades(parser, str_skip(word, 5), &c->dark,
				    &c->ndark, &c->dark_cap);
	if (str_starts(word, STR("suffix=")))
		return parse_suffix(parser, str_skip(word, 7), &c->suffix);
	if (str_starts(word, STR("label="))) {
		c->label = str_skip(word, 6);
		return true;
	}
	if (!str_starts(word, STR("gen=")))
		return bad(parser, word.p, "unknown word: %.*s", (int)word.len,
			   word.p);
	c->has_formula = shade_parse(str_skip(word, 4), &c->formula);
	return c->has_formula ||
	       bad(parser, word.p + 4, "a component must be R+N*vM, N*vM or R");
}

/*
 * Parse "class NAME [suffix=X] [label=L] light=RGB,... [dark=RGB,...]", or with
 * gen=R,G,B instead of light and dark.
 */
static void
parse_class(const struct palfile_parser *parser, struct str line)
{
	struct palfile *p = parser->p;
	struct palfile_class c = { .name = next_word(&line) };
	struct str word;
	bool good = true;

	if (c.name.len == 0 || *c.name.p == '/')
		good = bad(parser, c.name.p, "no class name");
	while (good && (word = next_word(&line)).len > 0)
		good = parse_class_word(parser, word, &c);
	if (good && c.nlight == 0 && !c.has_formula)
		bad(parser, c.name.p, "a class without colours");
	/* Keep a class with an error, so that its rules cause no more errors.
	 */
	p->class = mem_grow(p->class, &p->class_cap, p->nclass + 1,
			    sizeof(*p->class));
	p->class[p->nclass++] = c;
}

/* Compile a pattern; the flag i ignores case. */
static bool
parse_pattern(const struct palfile_parser *parser, struct str pattern,
	      struct str flags, struct regex **regex)
{
	struct buf why = { 0 };
	size_t offset;

	*regex = NULL;
	if (flags.len > 0 && !str_eq(flags, STR("i")))
		return bad(parser, flags.p, "unknown flags: %.*s",
			   (int)flags.len, flags.p);
	if (pattern.len == 0)
		return true;
	*regex = regex_new(pattern, flags.len > 0, &why, &offset);
	if (*regex == NULL)
		bad(parser, pattern.p + offset, "%.*s", (int)why.len, why.p);
	buf_free(&why);
	return *regex != NULL;
}

/* Parse C: a class, or /PATTERN/[i] up to a slash without a backslash. */
static bool
parse_fact(const struct palfile_parser *parser, struct str *line,
	   struct palfile_fact *fact)
{
	const char *p, *end = line->p + line->len;
	struct str word, pattern, flags;

	*fact = (struct palfile_fact){ 0 };
	if (line->len == 0 || *line->p != '/') {
		word = next_word(line);
		fact->class = find_class(parser->p, word);
		return fact->class < parser->p->nclass ||
		       bad(parser, word.p, "unknown class: %.*s", (int)word.len,
			   word.p);
	}
	for (p = line->p + 1; p < end && *p != '/'; p++)
		p += *p == '\\' && p + 1 < end;
	if (p == end)
		return bad(parser, line->p,
			   "no slash at the end of the pattern");
	pattern = str_range(line->p + 1, p);
	*line = str_range(p + 1, end);
	if (pattern.len == 0)
		return bad(parser, p,
			   "an empty pattern would match all frames");
	flags = (struct str){ line->p, 0 };
	if (skip_blanks(*line).len == line->len)
		flags = next_word(line);
	return parse_pattern(parser, pattern, flags, &fact->regex);
}

/* Parse caller=C, callee=C or under=C; word is the first word of *line. */
static bool
parse_context(const struct palfile_parser *parser, struct str word,
	      struct str *line, struct palfile_rule *rule)
{
	static const char *const keys[] = { "caller=", "callee=", "under=" };
	struct palfile_context context = { PALFILE_CALLER, parser->p->nfact };
	struct palfile_fact fact;
	size_t i;

	for (i = 0; i < 3 && !str_starts(word, str_of(keys[i])); i++)
		;
	if (i == 3)
		return bad(parser, word.p, "unknown word: %.*s", (int)word.len,
			   word.p);
	*line = str_range(word.p + strlen(keys[i]), line->p + line->len);
	if (!parse_fact(parser, line, &fact))
		return false;
	context.where = (enum palfile_where)i;
	parser->p->fact = mem_grow(parser->p->fact, &parser->p->fact_cap,
				   parser->p->nfact + 1,
				   sizeof(*parser->p->fact));
	parser->p->fact[parser->p->nfact++] = fact;
	rule->context = mem_grow(rule->context, &rule->context_cap,
				 rule->ncontext + 1, sizeof(*rule->context));
	rule->context[rule->ncontext++] = context;
	return true;
}

/* Parse the pattern between the first slash and the last, and its flags. */
static bool
parse_rule_pattern(const struct palfile_parser *parser, struct str s,
		   struct palfile_rule *rule)
{
	const char *last = s.len > 0 ? memrchr(s.p, '/', s.len) : NULL;

	if (last == NULL || last == s.p)
		return bad(parser, s.p, "no pattern between slashes");
	return parse_pattern(parser, str_range(s.p + 1, last),
			     str_range(last + 1, s.p + s.len), &rule->regex);
}

/* Parse "rule CLASS [suffix=X] [caller=C] [callee=C] [under=C] /PCRE2/[i]". */
static void
parse_rule(const struct palfile_parser *parser, struct str line)
{
	struct palfile_rule rule = { .place = parser->place };
	struct palfile *p = parser->p;
	struct str word = next_word(&line);
	bool good = true;

	rule.class = find_class(p, word);
	if (rule.class == p->nclass)
		good = bad(parser, word.p, "unknown class: %.*s", (int)word.len,
			   word.p);
	for (;;) {
		line = skip_blanks(line);
		if (!good || line.len == 0 || *line.p == '/')
			break;
		word = next_word(&line);
		if (str_starts(word, STR("suffix=")))
			good = parse_suffix(parser, str_skip(word, 7),
					    &rule.suffix);
		else
			good = parse_context(parser, word, &line, &rule);
	}
	if (!good || !parse_rule_pattern(parser, line, &rule)) {
		free(rule.context);
		return;
	}
	p->rule = mem_grow(p->rule, &p->rule_cap, p->nrule + 1,
			   sizeof(*p->rule));
	p->rule[p->nrule++] = rule;
}

static void
parse_rename(const struct palfile_parser *parser, struct str line)
{
	struct palfile_rename rename = { .place = parser->place };
	struct palfile *p = parser->p;
	struct buf why = { 0 };
	size_t offset;

	line = skip_blanks(line);
	rename.subst = subst_new(line, &why, &offset);
	if (rename.subst == NULL) {
		bad(parser, line.p + offset, "%.*s", (int)why.len, why.p);
	} else {
		p->rename = mem_grow(p->rename, &p->rename_cap, p->nrename + 1,
				     sizeof(*p->rename));
		p->rename[p->nrename++] = rename;
	}
	buf_free(&why);
}

static void
parse_include(const struct palfile_parser *parser, struct str line)
{
	struct str name = skip_blanks(line);

	if (name.len == 0)
		bad(parser, name.p, "no palette name");
	else if (parser->depth >= MAX_DEPTH)
		bad(parser, name.p, "palettes include each other too deeply");
	else
		read_palette(parser->p, arena_str(&parser->p->text, name).p,
			     parser);
}

static void
parse_line(struct palfile_parser *parser, struct str line)
{
	struct str word;

	parser->place.line++;
	line = arena_str(&parser->p->text, str_rtrim(line));
	parser->place.text = line;
	line = skip_blanks(line);
	if (line.len == 0 || *line.p == '#')
		return;
	word = next_word(&line);
	if (str_eq(word, STR("class")))
		parse_class(parser, line);
	else if (str_eq(word, STR("rule")))
		parse_rule(parser, line);
	else if (str_eq(word, STR("rename")))
		parse_rename(parser, line);
	else if (str_eq(word, STR("include")))
		parse_include(parser, line);
	else
		bad(parser, word.p, "unknown word: %.*s", (int)word.len,
		    word.p);
}

/* Note that a file is read; false if it has been read before. */
static bool
add_path(struct palfile *p, const char *path)
{
	size_t i;

	for (i = 0; i < p->npath; i++) {
		if (strcmp(p->path[i], path) == 0)
			return false;
	}
	p->path = mem_grow(p->path, &p->path_cap, p->npath + 1,
			   sizeof(*p->path));
	p->path[p->npath++] = path;
	return true;
}

static void
read_file(struct palfile_parser *parser)
{
	struct tally tally = { 0 };
	struct input in;
	struct str line;

	if (!add_path(parser->p, parser->place.path))
		return;
	input_open(&in, parser->place.path, &tally);
	while (input_line(&in, &line)) {
		line = str_without_cr(line);
		parse_line(parser, line);
	}
	input_close(&in);
}

static void
read_text(struct palfile_parser *parser, struct str text)
{
	while (text.len > 0)
		parse_line(parser, str_cut(&text, '\n'));
}

/* Read a built-in palette; false if there is none with this name. */
static bool
read_builtin(struct palfile_parser *parser, const char *name)
{
	const struct asset *b = asset_palettes;

	while (b->name != NULL && strcmp(b->name, name) != 0)
		b++;
	if (b->name == NULL)
		return false;
	parser->place.path = b->name;
	if (add_path(parser->p, b->name))
		read_text(parser, *b->text);
	return true;
}

/* Search the folders of palette(5) for a name. */
static bool
search(struct buf *path, const char *name)
{
	struct buf file = { 0 };
	bool found;

	path->len = 0;
	buf_printf(path, "./%s.palette", name);
	if (access(path->p, R_OK) == 0)
		return true;
	buf_printf(&file, "palettes/%s.palette", name);
	found = datafile_find(path, file.p);
	buf_free(&file);
	return found;
}

/*
 * Set *path, NUL-terminated, to the file of a palette: the name itself if it
 * has a slash or ends in ".palette", else NAME.palette in the first folder that
 * has it.  False if no folder has it.
 */
static bool
find_file(struct buf *path, const char *name)
{
	if (strchr(name, '/') == NULL &&
	    !str_ends(str_of(name), STR(".palette")))
		return search(path, name);
	path->len = 0;
	buf_str(path, str_of(name));
	buf_char(path, '\0');
	path->len--;
	return true;
}

/* Read a palette; from is the one that includes it, or NULL. */
static void
read_palette(struct palfile *p, const char *name,
	     const struct palfile_parser *from)
{
	struct palfile_parser parser = {
		.p = p, .depth = from == NULL ? 0 : from->depth + 1
	};
	struct buf path = { 0 };
	bool found = name != NULL && find_file(&path, name);

	if (name == NULL) {
		read_builtin(&parser, "default");
	} else if (found && from != NULL && access(path.p, R_OK) != 0) {
		bad(from, from->place.text.p, "%s: %s", name, strerror(errno));
	} else if (found) {
		parser.place.path = arena_str(&p->text, buf_slice(&path)).p;
		read_file(&parser);
	} else if (read_builtin(&parser, name)) {
		/* no file, as without an installation */
	} else if (from != NULL) {
		bad(from, from->place.text.p,
		    "no palette %s: cannot find %s.palette in the directories "
		    "of palette(5)",
		    name, name);
	} else {
		errx(2,
		     "no palette %s: cannot find %s.palette in the directories "
		     "of palette(5)",
		     name, name);
	}
	buf_free(&path);
}

void
palfile_read(struct palfile *p, const char *name)
{
	read_palette(p, name, NULL);
	if (p->errors > MAX_PRINTED)
		warnx("%s: %" PRIu64 " more error%s", name,
		      p->errors - MAX_PRINTED,
		      str_plural(p->errors - MAX_PRINTED, "", "s"));
}

void
palfile_read_text(struct palfile *p, const char *name, struct str text)
{
	struct palfile_parser parser = { .p = p, .place.path = name };

	read_text(&parser, text);
}

void
palfile_free(struct palfile *p)
{
	size_t i;

	for (i = 0; i < p->nclass; i++) {
		free(p->class[i].light);
		free(p->class[i].dark);
	}
	for (i = 0; i < p->nrule; i++) {
		regex_free(p->rule[i].regex);
		free(p->rule[i].context);
	}
	for (i = 0; i < p->nfact; i++)
		regex_free(p->fact[i].regex);
	for (i = 0; i < p->nrename; i++)
		subst_free(p->rename[i].subst);
	free(p->class);
	free(p->rule);
	free(p->fact);
	free(p->rename);
	free(p->path);
	arena_free(&p->text);
}
