/* palread.c - palettes as they stand in files. */
#include "palread.h"

#include "assets.h"
#include "input.h"
#include "mem.h"
#include "palfind.h"
#include "utf8.h"

#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

/* So many errors are said; the others are counted. */
#define MAX_SAID 20

/* A palette that includes others may do so to this depth. */
#define MAX_DEPTH 8

/* A palette that is being read. */
struct reading {
	struct palfile *p;
	struct palplace place;
	int depth;
};

static void read_palette(struct palfile *p, const char *name,
			 const struct reading *from);

/* Say what is wrong at a place of the line; returns false. */
static bool __attribute__((format(printf, 3, 4)))
bad(const struct reading *r, const char *at, const char *fmt, ...)
{
	size_t column = (size_t)(at - r->place.text.p) + 1;
	struct buf text = { 0 }, safe = { 0 };
	char *why;
	va_list ap;

	if (r->p->errors++ >= MAX_SAID)
		return false;
	va_start(ap, fmt);
	if (vasprintf(&why, fmt, ap) < 0)
		err(2, NULL);
	va_end(ap);
	buf_printf(&text, "%s:%" PRIu64 ":%zu: %s", r->place.path,
		   r->place.line, column, why);
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
parse_suffix(const struct reading *r, struct str s, char *suffix)
{
	if (s.len != 1 || strchr("kjiw01", *s.p) == NULL)
		return bad(r, s.p, "a suffix is k, j, i, w, 0 or 1");
	*suffix = *s.p;
	return true;
}

static bool
parse_shades(const struct reading *r, struct str list, uint32_t **shade,
	     size_t *n, size_t *cap)
{
	struct str word, digits;
	uint64_t rgb;

	while (list.len > 0) {
		word = digits = str_cut(&list, ',');
		if (str_starts(digits, STR("#")))
			digits = str_skip(digits, 1);
		if (digits.len != 6 || !str_hex(digits, &rgb))
			return bad(r, word.p, "no colour: %.*s", (int)word.len,
				   word.p);
		*shade = mem_grow(*shade, cap, *n + 1, sizeof(**shade));
		(*shade)[(*n)++] = (uint32_t)rgb;
	}
	return true;
}

static bool
parse_class_word(const struct reading *r, struct str word, struct palclass *c)
{
	if (str_starts(word, STR("light=")))
		return parse_shades(r, str_skip(word, 6), &c->light, &c->nlight,
				    &c->light_cap);
	if (str_starts(word, STR("dark=")))
		return parse_shades(r, str_skip(word, 5), &c->dark, &c->ndark,
				    &c->dark_cap);
	if (str_starts(word, STR("suffix=")))
		return parse_suffix(r, str_skip(word, 7), &c->suffix);
	if (!str_starts(word, STR("gen=")))
		return bad(r, word.p, "unknown word: %.*s", (int)word.len,
			   word.p);
	c->has_formula = shade_parse(str_skip(word, 4), &c->formula);
	return c->has_formula ||
	       bad(r, word.p + 4, "a part is R+N*vM, N*vM or R");
}

/* class NAME [suffix=X] light=RGB,... [dark=RGB,...] | gen=R,G,B */
static void
parse_class(const struct reading *r, struct str line)
{
	struct palfile *p = r->p;
	struct palclass c = { .name = next_word(&line) };
	struct str word;
	bool good = true;

	if (c.name.len == 0 || *c.name.p == '/')
		good = bad(r, c.name.p, "no name of a class");
	while (good && (word = next_word(&line)).len > 0)
		good = parse_class_word(r, word, &c);
	if (good && c.nlight == 0 && !c.has_formula)
		bad(r, c.name.p, "a class without colours");
	/* One with an error is there too, so that its rules give no more. */
	p->class = mem_grow(p->class, &p->class_cap, p->nclass + 1,
			    sizeof(*p->class));
	p->class[p->nclass++] = c;
}

/* A pattern, with i behind it if case does not matter. */
static bool
parse_pattern(const struct reading *r, struct str pattern, struct str flags,
	      struct regex **regex)
{
	struct buf why = { 0 };
	size_t offset;

	*regex = NULL;
	if (flags.len > 0 && !str_eq(flags, STR("i")))
		return bad(r, flags.p, "unknown flags: %.*s", (int)flags.len,
			   flags.p);
	if (pattern.len == 0)
		return true;
	*regex = regex_new(pattern, flags.len > 0, &why, &offset);
	if (*regex == NULL)
		bad(r, pattern.p + offset, "%.*s", (int)why.len, why.p);
	buf_free(&why);
	return *regex != NULL;
}

/* C, a class or /PATTERN/[i] up to the first slash without a backslash. */
static bool
parse_fact(const struct reading *r, struct str *line, struct palfact *fact)
{
	const char *p, *end = line->p + line->len;
	struct str word, pattern, flags;

	*fact = (struct palfact){ 0 };
	if (line->len == 0 || *line->p != '/') {
		word = next_word(line);
		fact->class = find_class(r->p, word);
		return fact->class < r->p->nclass ||
		       bad(r, word.p, "unknown class: %.*s", (int)word.len,
			   word.p);
	}
	for (p = line->p + 1; p < end && *p != '/'; p++)
		p += *p == '\\' && p + 1 < end;
	if (p == end)
		return bad(r, line->p, "no slash at the end of the pattern");
	pattern = str_range(line->p + 1, p);
	*line = str_range(p + 1, end);
	if (pattern.len == 0)
		return bad(r, p, "an empty pattern holds for all frames");
	flags = (struct str){ line->p, 0 };
	if (skip_blanks(*line).len == line->len)
		flags = next_word(line);
	return parse_pattern(r, pattern, flags, &fact->regex);
}

/* caller=C callee=C under=C: *word is the first word of *line. */
static bool
parse_context(const struct reading *r, struct str word, struct str *line,
	      struct palrule *rule)
{
	static const char *const keys[] = { "caller=", "callee=", "under=" };
	struct palcontext context = { PAL_CALLER, r->p->nfact };
	struct palfact fact;
	size_t i;

	for (i = 0; i < 3 && !str_starts(word, str_of(keys[i])); i++)
		;
	if (i == 3)
		return bad(r, word.p, "unknown word: %.*s", (int)word.len,
			   word.p);
	*line = str_range(word.p + strlen(keys[i]), line->p + line->len);
	if (!parse_fact(r, line, &fact))
		return false;
	context.where = (enum palwhere)i;
	r->p->fact = mem_grow(r->p->fact, &r->p->fact_cap, r->p->nfact + 1,
			      sizeof(*r->p->fact));
	r->p->fact[r->p->nfact++] = fact;
	rule->context = mem_grow(rule->context, &rule->context_cap,
				 rule->ncontext + 1, sizeof(*rule->context));
	rule->context[rule->ncontext++] = context;
	return true;
}

/* What stands between the first slash and the last, and an i behind it. */
static bool
parse_rule_pattern(const struct reading *r, struct str s, struct palrule *rule)
{
	const char *last = s.len > 0 ? memrchr(s.p, '/', s.len) : NULL;

	if (last == NULL || last == s.p)
		return bad(r, s.p, "no pattern between slashes");
	return parse_pattern(r, str_range(s.p + 1, last),
			     str_range(last + 1, s.p + s.len), &rule->regex);
}

/* rule CLASS [suffix=X] [caller=C] [callee=C] [under=C] /PCRE2/[i] */
static void
parse_rule(const struct reading *r, struct str line)
{
	struct palrule rule = { .place = r->place };
	struct palfile *p = r->p;
	struct str word = next_word(&line);
	bool good = true;

	rule.class = find_class(p, word);
	if (rule.class == p->nclass)
		good = bad(r, word.p, "unknown class: %.*s", (int)word.len,
			   word.p);
	for (;;) {
		line = skip_blanks(line);
		if (!good || line.len == 0 || *line.p == '/')
			break;
		word = next_word(&line);
		if (str_starts(word, STR("suffix=")))
			good = parse_suffix(r, str_skip(word, 7), &rule.suffix);
		else
			good = parse_context(r, word, &line, &rule);
	}
	if (!good || !parse_rule_pattern(r, line, &rule)) {
		free(rule.context);
		return;
	}
	p->rule = mem_grow(p->rule, &p->rule_cap, p->nrule + 1,
			   sizeof(*p->rule));
	p->rule[p->nrule++] = rule;
}

static void
parse_rename(const struct reading *r, struct str line)
{
	struct palrename rename = { .place = r->place };
	struct palfile *p = r->p;
	struct buf why = { 0 };
	size_t offset;

	line = skip_blanks(line);
	rename.subst = subst_new(line, &why, &offset);
	if (rename.subst == NULL) {
		bad(r, line.p + offset, "%.*s", (int)why.len, why.p);
	} else {
		p->rename = mem_grow(p->rename, &p->rename_cap, p->nrename + 1,
				     sizeof(*p->rename));
		p->rename[p->nrename++] = rename;
	}
	buf_free(&why);
}

static void
parse_include(const struct reading *r, struct str line)
{
	struct str name = skip_blanks(line);

	if (name.len == 0)
		bad(r, name.p, "no name of a palette");
	else if (r->depth >= MAX_DEPTH)
		bad(r, name.p, "palettes include each other too deeply");
	else
		read_palette(r->p, arena_str(&r->p->text, name).p, r);
}

static void
parse_line(struct reading *r, struct str line)
{
	struct str word;

	r->place.line++;
	line = arena_str(&r->p->text, str_rtrim(line));
	r->place.text = line;
	line = skip_blanks(line);
	if (line.len == 0 || *line.p == '#')
		return;
	word = next_word(&line);
	if (str_eq(word, STR("class")))
		parse_class(r, line);
	else if (str_eq(word, STR("rule")))
		parse_rule(r, line);
	else if (str_eq(word, STR("rename")))
		parse_rename(r, line);
	else if (str_eq(word, STR("include")))
		parse_include(r, line);
	else
		bad(r, word.p, "unknown word: %.*s", (int)word.len, word.p);
}

/* Whether this is the first time that a file is read. */
static bool
is_new(struct palfile *p, const char *path)
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
read_file(struct reading *r)
{
	struct tally tally = { 0 };
	struct input in;
	struct str line;

	if (!is_new(r->p, r->place.path))
		return;
	input_open(&in, r->place.path, &tally);
	while (input_line(&in, &line)) {
		line = str_without_cr(line);
		parse_line(r, line);
	}
	input_close(&in);
}

static void
read_text(struct reading *r, struct str text)
{
	while (text.len > 0)
		parse_line(r, str_cut(&text, '\n'));
}

/* Read a palette that is built in; false if there is none of that name. */
static bool
read_builtin(struct reading *r, const char *name)
{
	const struct asset *b = asset_palettes;

	while (b->name != NULL && strcmp(b->name, name) != 0)
		b++;
	if (b->name == NULL)
		return false;
	r->place.path = b->name;
	if (is_new(r->p, b->name))
		read_text(r, *b->text);
	return true;
}

/* from says who includes it, NULL if nobody does. */
static void
read_palette(struct palfile *p, const char *name, const struct reading *from)
{
	struct reading r = { .p = p,
			     .depth = from == NULL ? 0 : from->depth + 1 };
	struct buf path = { 0 };
	bool found = name != NULL && palfind(&path, name);

	if (name == NULL) {
		read_builtin(&r, "default");
	} else if (found && from != NULL && access(path.p, R_OK) != 0) {
		bad(from, from->place.text.p, "%s: %s", name, strerror(errno));
	} else if (found) {
		r.place.path = arena_str(&p->text, buf_slice(&path)).p;
		read_file(&r);
	} else if (read_builtin(&r, name)) {
		/* without an installation */
	} else if (from != NULL) {
		bad(from, from->place.text.p,
		    "no palette %s: no %s.palette in the places palette(5) "
		    "names",
		    name, name);
	} else {
		errx(2,
		     "no palette %s: no %s.palette in the places palette(5) "
		     "names",
		     name, name);
	}
	buf_free(&path);
}

void
palread(struct palfile *p, const char *name)
{
	read_palette(p, name, NULL);
	if (p->errors > MAX_SAID)
		warnx("%s: %" PRIu64 " more error%s", name,
		      p->errors - MAX_SAID,
		      str_plural(p->errors - MAX_SAID, "", "s"));
}

void
palread_text(struct palfile *p, const char *name, struct str text)
{
	struct reading r = { .p = p, .place.path = name };

	read_text(&r, text);
}

void
palread_free(struct palfile *p)
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
