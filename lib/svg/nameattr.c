/* nameattr.c - links and titles of functions. */
#include "svg/nameattr.h"

#include "base/arena.h"
#include "base/intern.h"
#include "base/mem.h"
#include "folded/label.h"
#include "io/input.h"

#include <err.h>
#include <inttypes.h>
#include <stdlib.h>

struct nameattr {
	struct intern *names;
	struct attributes *attr; /* indexed by the number of the name */
	size_t cap;
	struct arena text;
};

/* True for an address that opens a page and cannot run code in ours. */
static bool
is_harmless(struct str href)
{
	static const char *const scheme[] = { "http:", "https:", "mailto:" };
	size_t i;

	for (i = 0; i < href.len; i++) {
		if ((unsigned char)href.p[i] <= ' ')
			return false;
	}
	for (i = 0; i < sizeof(scheme) / sizeof(scheme[0]); i++) {
		if (href.len > strlen(scheme[i]) &&
		    strncasecmp(href.p, scheme[i], strlen(scheme[i])) == 0)
			return true;
	}
	for (i = 0; i < href.len; i++) {
		if (strchr("/?#", href.p[i]) != NULL)
			return true;
		if (href.p[i] == ':')
			return false;
	}
	return href.len > 0;
}

static void
read_line(struct nameattr *n, const struct input *in, struct str line)
{
	struct str name = str_cut(&line, '\t'), word, key;
	struct attributes a = { .title = { NULL, 0 } };
	uint32_t id;

	if (line.len == 0)
		errx(2, "%s:%" PRIu64 ": no tab after the name", in->name,
		     in->line);
	while (line.len > 0) {
		word = str_cut(&line, '\t');
		key = str_cut(&word, '=');
		word = arena_str(&n->text, word);
		if (str_eq(key, STR("title")))
			a.title = word;
		else if (str_eq(key, STR("target")))
			a.target = word;
		else if (str_eq(key, STR("href")) && is_harmless(word))
			a.href = word;
	}
	id = intern_id(n->names, name);
	n->attr = mem_grow(n->attr, &n->cap, (size_t)id + 1, sizeof(*n->attr));
	n->attr[id] = a;
}

struct nameattr *
nameattr_read(const char *path)
{
	struct nameattr *n = mem_zero(1, sizeof(*n));
	struct tally tally = { 0 };
	struct input in;
	struct str line;

	n->names = intern_new();
	input_open(&in, path, &tally);
	while (input_line(&in, &line)) {
		line = str_without_cr(line);
		if (line.len > 0)
			read_line(n, &in, line);
	}
	input_close(&in);
	return n;
}

void
nameattr_free(struct nameattr *n)
{
	if (n == NULL)
		return;
	intern_free(n->names);
	arena_free(&n->text);
	free(n->attr);
	free(n);
}

const struct attributes *
nameattr_get(const struct nameattr *n, struct str name)
{
	uint32_t id;

	if (n == NULL || !intern_find(n->names, name, &id))
		return NULL;
	return &n->attr[id];
}

void
nameattr_open(struct buf *out, const struct attributes *a, struct str class)
{
	bool link = a != NULL && a->href.len > 0;

	buf_str(out, link ? STR("<a class=\"") : STR("<g class=\""));
	buf_str(out, class);
	if (!link) {
		buf_str(out, STR("\">"));
		return;
	}
	buf_str(out, STR("\" href=\""));
	label_escape(out, a->href);
	buf_str(out, STR("\" target=\""));
	if (a->target.len > 0)
		label_escape(out, a->target);
	else
		buf_str(out, STR("_top"));
	buf_str(out, STR("\" rel=\"noopener\">"));
}

void
nameattr_close(struct buf *out, const struct attributes *a)
{
	buf_str(out,
		a == NULL || a->href.len == 0 ? STR("</g>\n") : STR("</a>\n"));
}
