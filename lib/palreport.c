/* palreport.c - what can be said about a palette, and what its rules did. */
#include "palreport.h"

#include "mem.h"
#include "palread.h"
#include "utf8.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>

/* To whom lines go. */
struct listener {
	void (*say)(const char *line, void *arg);
	void *arg;
	size_t lines;
};

static void __attribute__((format(printf, 3, 4)))
tell(struct listener *l, const struct palplace *at, const char *fmt, ...)
{
	struct buf text = { 0 }, safe = { 0 };
	char why[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	buf_printf(&text, "%s:%" PRIu64 ": %s", at->path, at->line, why);
	utf8_escape(&safe, buf_slice(&text));
	buf_char(&safe, '\0');
	l->say(safe.p, l->arg);
	l->lines++;
	buf_free(&text);
	buf_free(&safe);
}

/* What follows the word "rule" and the class: what is asked of a frame. */
static struct str
condition(const struct palrule *r)
{
	struct str s = r->place.text;
	int i;

	for (i = 0; i < 2; i++) {
		s = str_trim(s);
		while (s.len > 0 && *s.p != ' ' && *s.p != '\t')
			s = str_skip(s, 1);
	}
	return str_trim(s);
}

/* Whether all that b takes, a before it takes too, as far as is seen. */
static bool
covers(const struct palrule *a, const struct palrule *b)
{
	if (str_eq(condition(a), condition(b)))
		return true;
	return a->ncontext == 0 && a->regex == NULL &&
	       (a->suffix == 0 || a->suffix == b->suffix);
}

static void
check_rules(const struct palfile *f, struct listener *l)
{
	size_t i, j;

	for (i = 0; i < f->nrule; i++) {
		for (j = 0; j < i && !covers(&f->rule[j], &f->rule[i]); j++)
			;
		if (j < i)
			tell(l, &f->rule[i].place,
			     "this rule is never reached: %s:%" PRIu64
			     " takes all that it could",
			     f->rule[j].place.path, f->rule[j].place.line);
	}
}

size_t
palreport_check(const struct palette *p,
		void (*say)(const char *line, void *arg), void *arg)
{
	struct listener l = { say, arg, 0 };

	check_rules(palette_file(p), &l);
	return l.lines;
}

static void
check_search(const struct regex *r, const struct palplace *at,
	     struct listener *l)
{
	struct str text;

	if (r != NULL && regex_gave_up(r, &text))
		tell(l, at,
		     "the pattern takes too long, and counts as not found, "
		     "in %.*s%s",
		     (int)(text.len < 200 ? text.len : 200), text.p,
		     text.len < 200 ? "" : "...");
}

size_t
palreport_given_up(const struct palette *p,
		   void (*say)(const char *line, void *arg), void *arg)
{
	const struct palfile *f = palette_file(p);
	struct listener l = { say, arg, 0 };
	size_t i, j;

	for (i = 0; i < f->nrename; i++)
		check_search(subst_regex(f->rename[i].subst),
			     &f->rename[i].place, &l);
	for (i = 0; i < f->nrule; i++) {
		const struct palrule *r = &f->rule[i];

		check_search(r->regex, &r->place, &l);
		for (j = 0; j < r->ncontext; j++)
			check_search(f->fact[r->context[j].fact].regex,
				     &r->place, &l);
	}
	return l.lines;
}

static void
begin(struct paltaken *t)
{
	size_t n = palette_file(t->palette)->nrule + 1;

	t->pairs = intern_new();
	t->frames = mem_zero(n, sizeof(*t->frames));
	t->count = mem_zero(n, sizeof(*t->count));
	t->stack = mem_zero(n, sizeof(*t->stack));
}

bool
paltaken_add(struct paltaken *t, const uint32_t *frame, const uint32_t *rule,
	     size_t n, struct count count)
{
	uint32_t pair[2], before;
	bool fits = true;
	size_t i;

	if (t->pairs == NULL)
		begin(t);
	t->stacks++;
	for (i = 0; i < n; i++) {
		pair[0] = rule[i];
		pair[1] = frame[i];
		before = intern_size(t->pairs);
		intern_id(t->pairs,
			  (struct str){ (const char *)pair, sizeof(pair) });
		t->frames[rule[i]] += intern_size(t->pairs) - before;
		if (t->stack[rule[i]] != t->stacks)
			fits &= count_add(&t->count[rule[i]], count);
		t->stack[rule[i]] = t->stacks;
	}
	return fits;
}

static void
print_row(struct buf *out, uint64_t frames, struct str count)
{
	buf_printf(out, "%8" PRIu64 " %14.*s  ", frames, (int)count.len,
		   count.p);
}

static void
print_place(struct buf *out, const struct palplace *at)
{
	struct buf text = { 0 };

	buf_printf(&text, "%s:%" PRIu64 ": %.*s",
		   str_basename(str_of(at->path)).p, at->line,
		   (int)at->text.len, at->text.p);
	utf8_escape(out, buf_slice(&text));
	buf_char(out, '\n');
	buf_free(&text);
}

void
paltaken_print(struct paltaken *t, struct buf *out)
{
	const struct palfile *f = palette_file(t->palette);
	struct buf number = { 0 };
	size_t i;

	if (t->pairs == NULL)
		begin(t);
	buf_str(out, STR("  frames        samples  rule\n"));
	for (i = 0; i < f->nrename; i++) {
		print_row(out, f->rename[i].changed, STR("-"));
		print_place(out, &f->rename[i].place);
	}
	for (i = 0; i <= f->nrule; i++) {
		number.len = 0;
		count_print(&number, t->count[i]);
		print_row(out, t->frames[i], buf_slice(&number));
		if (i < f->nrule)
			print_place(out, &f->rule[i].place);
		else
			buf_str(out, STR("no rule\n"));
	}
	buf_free(&number);
}

void
paltaken_free(struct paltaken *t)
{
	intern_free(t->pairs);
	free(t->frames);
	free(t->count);
	free(t->stack);
}
