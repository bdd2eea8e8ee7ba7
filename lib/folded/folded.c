/* folded.c - reader of folded text: stacks, counts, metadata. */
#include "folded/folded.h"

#include "base/mem.h"
#include "base/utf8.h"

#include <err.h>
#include <inttypes.h>
#include <stdlib.h>

/*
 * Parse the last word of *s as a count and cut it off.  *gap is the blank or
 * tab before it.  False if the word is not a count.
 */
static bool
cut_count(struct str *s, const struct input *in, struct count *c, char *gap)
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

/* Input without counts mostly means that the user skipped a step. */
static void
report_no_count(struct input *in, struct str line)
{
	input_bad(in, "no count at the end of the line");
	if (in->tally->advice == NULL)
		in->tally->advice =
		    str_starts(line, STR("<")) ?
			"to extract the profile of a flame graph, use unflame" :
			"to fold the output of a profiler, use stackcollapse";
}

/* Cut the counts off the end of *s, so that only the stack remains. */
static bool
parse_counts(struct folded *f, struct input *in, struct str *s)
{
	struct str one = *s, two;
	char gap = '\0', gap_before;
	struct count last;
	bool has_two;

	f->count[0] = f->count[1] = count_of(0);
	if (!cut_count(&one, in, &last, &gap)) {
		report_no_count(in, *s);
		return false;
	}
	two = one;
	has_two = f->counts != 1 || f->read_stack;
	/* In a table with tabs, a blank before a number is part of the stack.
	 */
	has_two = has_two && cut_count(&two, in, &f->count[0], &gap_before) &&
		  (gap != '\t' || gap_before == '\t');
	if (f->counts == 0)
		f->counts = has_two ? 2 : 1;
	if (has_two != (f->counts == 2)) {
		input_bad(in, has_two ? "two counts, but the first line had "
					"one (see --counts)" :
					"one count, but two are expected");
		return false;
	}
	f->count[has_two] = last;
	*s = has_two ? two : one;
	return true;
}

struct str
folded_trim(struct str stack)
{
	stack = str_rtrim(stack);
	while (str_ends(stack, STR(";"))) {
		stack.len--;
		stack = str_rtrim(stack);
	}
	while (str_starts(stack, STR(";")))
		stack = str_skip(stack, 1);
	return stack;
}

/* Escape what folded text must not contain. */
static struct str
escape(struct folded *f, struct str s)
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
	s = folded_trim(s);
	if (s.len == 0) {
		if (undecided)
			f->counts = 0;
		input_bad(in, "a count without a stack");
		return false;
	}
	f->read_stack = f->read_stack || undecided;
	f->stack = escape(f, s);
	in->tally->good++;
	return true;
}

/* A header discards all earlier keys. */
static void
begin_header(struct folded *f, const struct input *in)
{
	struct meta header = { 0 };
	struct str version;
	uint64_t n = 1;

	meta_parse(&header, f->line);
	version = meta_get(&header, "fold");
	if (!str_eq(version, STR("1")))
		errx(2, "%s:%" PRIu64 ": folded text of version %s, not 1",
		     in->name, in->line, version.p);
	if (meta_has(&header, "counts") &&
	    (!meta_u64(&header, "counts", &n) || n < 1 || n > 2))
		errx(2, "%s:%" PRIu64 ": counts=%s", in->name, in->line,
		     meta_get(&header, "counts").p);
	if (meta_has(&header, "counts")) {
		f->counts = (int)n;
		f->read_stack = false;
	}
	meta_free(&f->header);
	meta_free(&f->own);
	f->header = header;
}

static enum folded_kind
parse_hash(struct folded *f, struct input *in)
{
	const size_t keys = meta_keys(f->line);

	if (keys == 0)
		return FOLDED_COMMENT;
	if (f->own_old)
		meta_free(&f->own);
	f->own_old = false;
	if (f->own.n + keys > META_MAX)
		errx(2, "%s:%" PRIu64 ": more than %d keys of metadata",
		     in->name, in->line, META_MAX);
	meta_parse(&f->own, f->line);
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
		f->line = str_without_cr(f->line);
		if (f->line.len == 0)
			return FOLDED_BLANK;
		if (*f->line.p == '#')
			return parse_hash(f, in);
		if (parse_stack(f, in)) {
			f->own_used = f->own.n > 0;
			f->own_old = false;
			return FOLDED_STACK;
		}
		f->own_old = true;
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
folded_frame_name(struct str frame, char *suffix)
{
	const char *tail = frame.p + frame.len - 4;

	*suffix = 0;
	if (frame.len < 5 || memcmp(tail, "_[", 2) != 0 || tail[3] != ']' ||
	    tail[2] == '\0' || strchr("kjiw01", tail[2]) == NULL)
		return frame;
	*suffix = tail[2];
	return str_range(frame.p, tail);
}

bool
folded_is_nameless(struct str frame)
{
	static const char *const marks[] = { "[truncated]", "[missing]",
					     "[moving]", "[unmerged]", "[gc]" };
	char suffix;
	size_t i;

	frame = folded_frame_name(frame, &suffix);
	for (i = 0; i < sizeof(marks) / sizeof(*marks); i++) {
		if (str_eq(frame, str_of(marks[i])))
			return false;
	}
	return str_starts(frame, STR("[")) && str_ends(frame, STR("]"));
}
