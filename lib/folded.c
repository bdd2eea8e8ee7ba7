/* folded.c - reading folded text: stacks, counts, metadata. */
#include "folded.h"

#include "mem.h"
#include "utf8.h"

#include <err.h>
#include <inttypes.h>
#include <stdlib.h>

/* Keys are found one by one, so that many would take the square of that. */
#define MAX_KEYS 4096

/*
 * Take the last word off *s, and set what stands before it; false if it is no
 * count.
 */
static bool
take_count(struct str *s, const struct input *in, struct count *c, char *gap)
{
	const char *p = s->p + s->len;
	struct str word;

	while (p > s->p && (str_isdigit(p[-1]) || p[-1] == '.'))
		p--;
	word = str_range(p, s->p + s->len);
	if (p == s->p || (p[-1] != ' ' && p[-1] != '\t'))
		return false;
	switch (count_parse(word, c)) {
	case COUNT_OK:
		break;
	case COUNT_BAD:
		return false;
	case COUNT_OVERFLOW:
		errx(2, "%s:%" PRIu64 ": count beyond 64 bits", in->name,
		     in->line);
	}
	*gap = p[-1];
	*s = str_rtrim(str_range(s->p, p));
	return true;
}

/* Read the counts at the end of the line; what is left is the stack. */
static bool
parse_counts(struct folded *f, struct input *in, struct str *s)
{
	struct str one = *s, two;
	char gap = '\0', gap_before;
	struct count last;
	bool has_two;

	f->count[0] = f->count[1] = count_of(0);
	if (!take_count(&one, in, &last, &gap)) {
		input_bad(in, "no count at the end of the line");
		return false;
	}
	two = one;
	has_two = f->counts != 1 || f->read_stack;
	/* In a table with tabs, a blank before a number is the stack's. */
	has_two = has_two && take_count(&two, in, &f->count[0], &gap_before) &&
		  (gap != '\t' || gap_before == '\t');
	if (f->counts == 0)
		f->counts = has_two ? 2 : 1;
	if (has_two != (f->counts == 2)) {
		input_bad(in, has_two ? "two counts where the first line had "
					"one (see --counts)" :
					"one count where two are expected");
		return false;
	}
	f->count[has_two] = last;
	*s = has_two ? two : one;
	return true;
}

static struct str
trim_semicolons(struct str s)
{
	while (s.len > 0 && s.p[s.len - 1] == ';')
		s.len--;
	while (s.len > 0 && *s.p == ';')
		s = str_skip(s, 1);
	return s;
}

/* The stack as it may be written. */
static struct str
clean(struct folded *f, struct str s)
{
	bool hash = *s.p == '#';

	if (!hash && (f->raw || utf8_isclean(s)))
		return s;
	f->clean.len = 0;
	if (hash)
		buf_str(&f->clean, STR("\\x23"));
	utf8_escape(&f->clean, str_skip(s, hash));
	return buf_slice(&f->clean);
}

static bool
parse_stack(struct folded *f, struct input *in)
{
	struct str s = str_rtrim(f->line);
	bool undecided = f->counts == 0;

	if (!parse_counts(f, in, &s))
		return false;
	s = trim_semicolons(s);
	if (s.len == 0) {
		input_bad(in, "a count without a stack");
		return false;
	}
	f->read_stack = f->read_stack || undecided;
	f->stack = clean(f, s);
	in->tally->good++;
	return true;
}

/* A header discards what was known; the counts it names are settled. */
static void
begin_header(struct folded *f, const struct input *in)
{
	struct str version = meta_get(&f->own, "fold");
	uint64_t n = 1;

	if (!str_eq(version, STR("1")))
		errx(2, "%s:%" PRIu64 ": folded text of version %s, not 1",
		     in->name, in->line, version.p);
	if (meta_has(&f->own, "counts") &&
	    (!meta_u64(&f->own, "counts", &n) || n < 1 || n > 2))
		errx(2, "%s:%" PRIu64 ": counts=%s", in->name, in->line,
		     meta_get(&f->own, "counts").p);
	if (meta_has(&f->own, "counts")) {
		f->counts = (int)n;
		f->read_stack = false;
	}
	meta_free(&f->header);
	f->header = f->own;
	f->own = (struct meta){ 0 };
}

static enum folded_kind
parse_hash(struct folded *f, struct input *in)
{
	if (f->own.n + meta_keys(f->line) > MAX_KEYS)
		errx(2, "%s:%" PRIu64 ": more than %d keys of metadata",
		     in->name, in->line, MAX_KEYS);
	if (!meta_parse(&f->own, f->line))
		return FOLDED_COMMENT;
	f->is_header = meta_has(&f->own, "fold");
	if (f->is_header)
		begin_header(f, in);
	in->tally->good++;
	return FOLDED_META;
}

enum folded_kind
folded_read(struct folded *f, struct input *in)
{
	if (f->own_used)
		meta_free(&f->own);
	f->own_used = false;
	while (input_line(in, &f->line)) {
		if (str_ends(f->line, STR("\r")))
			f->line.len--;
		if (f->line.len == 0)
			return FOLDED_BLANK;
		if (*f->line.p == '#')
			return parse_hash(f, in);
		if (parse_stack(f, in)) {
			f->own_used = f->own.n > 0;
			return FOLDED_STACK;
		}
	}
	return FOLDED_END;
}

void
folded_free(struct folded *f)
{
	meta_free(&f->header);
	meta_free(&f->own);
	buf_free(&f->clean);
}

struct str
frame_name(struct str frame, char *suffix)
{
	const char *tail = frame.p + frame.len - 4;

	*suffix = 0;
	if (frame.len < 5 || memcmp(tail, "_[", 2) != 0 || tail[3] != ']' ||
	    tail[2] == '\0' || strchr("kjiw01", tail[2]) == NULL)
		return frame;
	*suffix = tail[2];
	return str_range(frame.p, tail);
}
