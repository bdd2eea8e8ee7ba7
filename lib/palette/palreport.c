/* palreport.c - warnings about a palette, and statistics of its rules. */
#include "palette/palreport.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "palette/palfile.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>

/* Receives the lines of a report. */
struct palreport_sink {
	void (*say)(const char *line, void *arg);
	void *arg;
	size_t lines;
};

static void __attribute__((format(printf, 3, 4)))
say_line(struct palreport_sink *sink, const struct palfile_place *at,
	 const char *fmt, ...)
{
	struct buf text = { 0 }, safe = { 0 };
	char why[600];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	buf_printf(&text, "%s:%" PRIu64 ": %s", at->path, at->line, why);
	utf8_escape(&safe, buf_slice(&text));
	buf_char(&safe, '\0');
	sink->say(safe.p, sink->arg);
	sink->lines++;
	buf_free(&text);
	buf_free(&safe);
}

/* The text after "rule" and the class. */
static struct str
condition(const struct palfile_rule *r)
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

/* Whether a matches all frames that b matches; false if that is not obvious. */
static bool
covers(const struct palfile_rule *a, const struct palfile_rule *b)
{
	if (str_eq(condition(a), condition(b)))
		return true;
	return a->ncontext == 0 && a->regex == NULL &&
	       (a->suffix == 0 || a->suffix == b->suffix);
}

static void
check_rules(const struct palfile *f, struct palreport_sink *sink)
{
	size_t i, j;

	for (i = 0; i < f->nrule; i++) {
		for (j = 0; j < i && !covers(&f->rule[j], &f->rule[i]); j++)
			;
		if (j < i)
			say_line(sink, &f->rule[i].place,
				 "this rule never matches: %s:%" PRIu64
				 " matches the same frames first",
				 f->rule[j].place.path, f->rule[j].place.line);
	}
}

size_t
palreport_check(const struct palette *p,
		void (*say)(const char *line, void *arg), void *arg)
{
	struct palreport_sink sink = { say, arg, 0 };

	check_rules(palette_file(p), &sink);
	return sink.lines;
}

static void
check_search(const struct regex *r, const struct palfile_place *at,
	     struct palreport_sink *sink)
{
	struct buf why = { 0 };

	if (r != NULL && regex_aborted(r, &why) > 0)
		say_line(sink, at, "%.*s", (int)why.len, why.p);
	buf_free(&why);
}

size_t
palreport_given_up(const struct palette *p,
		   void (*say)(const char *line, void *arg), void *arg)
{
	const struct palfile *f = palette_file(p);
	struct palreport_sink sink = { say, arg, 0 };
	size_t i, j;

	for (i = 0; i < f->nrename; i++)
		check_search(subst_regex(f->rename[i].subst),
			     &f->rename[i].place, &sink);
	for (i = 0; i < f->nrule; i++) {
		const struct palfile_rule *r = &f->rule[i];

		check_search(r->regex, &r->place, &sink);
		for (j = 0; j < r->ncontext; j++)
			check_search(f->fact[r->context[j].fact].regex,
				     &r->place, &sink);
	}
	return sink.lines;
}

static void
begin(struct palreport_stats *t)
{
	size_t n = palette_file(t->palette)->nrule + 1;

	t->pairs = intern_new();
	t->frames = mem_zero(n, sizeof(*t->frames));
	t->count = mem_zero(n, sizeof(*t->count));
	t->stack = mem_zero(n, sizeof(*t->stack));
}

bool
palreport_add(struct palreport_stats *t, const uint32_t *frame,
	      const uint32_t *rule, size_t n, struct count count)
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
print_place(struct buf *out, const struct palfile_place *at)
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
palreport_print(struct palreport_stats *t, struct buf *out)
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
palreport_free(struct palreport_stats *t)
{
	intern_free(t->pairs);
	free(t->frames);
	free(t->count);
	free(t->stack);
}
