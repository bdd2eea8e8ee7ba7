/* pmptext.c - reads the text that poor man's profilers print. */
#include "formats/pmptext.h"

#include "base/mem.h"
#include "demangle/demangle.h"
#include "formats/backtrace.h"
#include "formats/pmptree.h"

#include <stdlib.h>

/* Bytes of an input that are searched to recognise the format. */
#define HEAD ((size_t)1 << 16)

/* knielsen-pmp records no more frames of a stack. */
#define KNIELSEN_FRAMES 20

enum pmp_format {
	UNKNOWN,
	COUNTED,   /* "     15 leaf,caller,main" */
	SHARES,    /* "     15  25.00%  leaf:caller:main" */
	THREADS,   /* "4711  name  leaf:caller:main" */
	ADDRESSES, /* "ip = 401214 <leaf>+25" */
	TREE,
	BACKTRACE
};

/* Move s past "25.00%  "; false if s does not start like that. */
static bool
skip_share(struct str *s)
{
	struct str rest = str_trim(*s), number = str_cut(&rest, '%');
	struct str whole = str_cut(&number, '.');
	uint64_t n;

	if (!str_u64(whole, &n) || !str_u64(number, &n))
		return false;
	*s = str_trim(rest);
	return true;
}

/* The format that a line shows, or UNKNOWN. */
static enum pmp_format
format_of_line(struct str line)
{
	struct str rest = str_trim(line), name;
	uint64_t n;

	if (pmptree_head(line, &name, &n))
		return TREE;
	if (str_starts(line, STR("ip = ")) || str_starts(line, STR("<")))
		return ADDRESSES;
	if (str_starts(line, STR("#")) || str_starts(line, STR("TID ")) ||
	    (str_starts(line, STR("Thread ")) && str_ends(rest, STR(":"))))
		return BACKTRACE;
	if (!str_u64(str_cut(&rest, ' '), &n))
		return UNKNOWN;
	if (skip_share(&rest))
		return SHARES;
	return str_isdigit(*line.p) && str_starts(rest, STR(" ")) ? THREADS :
								    COUNTED;
}

static enum pmp_format
format_of(struct str head)
{
	enum pmp_format format = UNKNOWN;

	while (head.len > 0 && format == UNKNOWN)
		format = format_of_line(str_cut(&head, '\n'));
	return format;
}

/* Lists of names. */

/*
 * Append a list to out, one name a line.  A comma between brackets belongs to a
 * name.  A bracket that never closes, as in operator<, is no bracket: so which
 * commas separate names is known only at the end of the list.
 */
static void
split_commas(struct buf *out, struct str list)
{
	size_t *comma = NULL, *before = NULL; /* n at each open bracket */
	size_t i, n = 0, open = 0, comma_cap = 0, before_cap = 0;
	size_t start = out->len;

	buf_str(out, list);
	for (i = 0; i < list.len; i++) {
		if (list.p[i] == '<' || list.p[i] == '(') {
			before = mem_grow(before, &before_cap, open + 1,
					  sizeof(*before));
			before[open++] = n;
		} else if (list.p[i] == '>' || list.p[i] == ')') {
			if (open > 0)
				n = before[--open];
		} else if (list.p[i] == ',') {
			comma = mem_grow(comma, &comma_cap, n + 1,
					 sizeof(*comma));
			comma[n++] = i;
		}
	}
	while (n > 0)
		out->p[start + comma[--n]] = '\n';
	free(comma);
	free(before);
}

static struct str
cut_line(struct str *rest)
{
	return str_cut(rest, '\n');
}

/* Cut at the first single colon; "::" belongs to a name. */
static struct str
cut_colon(struct str *rest)
{
	const char *p = rest->p, *end = rest->p + rest->len;
	struct str name;

	while (p < end && (*p != ':' || (p + 1 < end && p[1] == ':')))
		p += *p == ':' ? 2 : 1;
	if (p > end)
		p = end;
	name = str_range(rest->p, p);
	*rest = p < end ? str_range(p + 1, end) : str_range(end, end);
	return name;
}

/* Push a frame, whose name may be mangled. */
static void
push_frame(struct sink *out, struct frame *frame)
{
	struct buf demangled = { 0 };

	if (str_eq(frame->name, STR("??")))
		frame->name.len = 0;
	else if (demangle(&demangled, frame->name))
		frame->name = buf_slice(&demangled);
	sink_frame(out, frame);
	buf_free(&demangled);
}

/* Push a list of names as n samples. */
static void
push_list(struct sink *out, const struct sample *sample, struct str names,
	  struct str (*cut)(struct str *), uint64_t n, bool is_knielsen)
{
	struct frame frame = { 0 };
	size_t frames = 0;

	/* The tool found no stack of these threads. */
	if (names.len == 0 || !sink_begin(out, sample))
		return;
	for (; names.len > 0; frames++) {
		frame.name = str_trim(cut(&names));
		push_frame(out, &frame);
	}
	if (is_knielsen && frames >= KNIELSEN_FRAMES)
		sink_truncated(out);
	sink_end(out, count_of(n));
}

/* "     15 leaf,caller,main" */
static bool
read_counted(struct sink *out, struct str line)
{
	const struct sample sample = SAMPLE_UNKNOWN;
	struct buf names = { 0 };
	uint64_t n;

	line = str_trim(line);
	if (!str_u64(str_cut(&line, ' '), &n))
		return false;
	split_commas(&names, line);
	push_list(out, &sample, buf_slice(&names), cut_line, n, false);
	buf_free(&names);
	return true;
}

/* Cut at two blanks or more. */
static struct str
cut_column(struct str *rest)
{
	const char *p = str_search(*rest, STR("  "));
	struct str column = *rest;

	if (p == NULL) {
		*rest = str_skip(*rest, rest->len);
		return column;
	}
	column = str_range(rest->p, p);
	*rest = str_range(p, rest->p + rest->len);
	while (str_starts(*rest, STR(" ")))
		*rest = str_skip(*rest, 1);
	return column;
}

/*
 * "4711  name  leaf:caller:main"; the name may be missing.  A thread without a
 * stack has no line end, so the last columns count.
 */
static bool
read_thread(struct sink *out, struct str line)
{
	struct sample sample = SAMPLE_UNKNOWN;
	struct str before = { 0 }, name = { 0 }, stack = { 0 };
	uint64_t tid;

	if (!str_isdigit(*line.p))
		return false;
	if (str_ends(line, STR(" ")))
		return true; /* none of the threads has a stack */
	while (line.len > 0) {
		before = name;
		name = stack;
		stack = cut_column(&line);
	}
	if (str_u64(name, &tid))
		name.len = 0;
	else if (!str_u64(before, &tid))
		return false;
	sample.tid = tid <= INT64_MAX ? (int64_t)tid : -1;
	sample.comm = name;
	push_list(out, &sample, stack, cut_colon, 1, false);
	return true;
}

static void
read_lines(struct input *in, struct sink *out,
	   bool (*read)(struct sink *, struct str))
{
	bool any = false, good;
	struct str line;

	while (input_line(in, &line)) {
		line = str_without_cr(line);
		if (str_trim(line).len == 0)
			continue;
		good = read(out, line);
		/* lines before the first stack are about the tool */
		if (any && !good)
			input_bad(in, "no stack after its count or thread");
		any |= good;
	}
	if (!any && in->line > 0)
		input_bad(in, "not a stack of a poor man's profiler");
}

/*
 * "     15  25.00%  leaf:caller:main".  The tool prints the whole list again
 * and again, with all counts since the start: the last complete list is the
 * profile.
 */
static void
read_shares(struct input *in, struct sink *out)
{
	const struct sample sample = SAMPLE_UNKNOWN;
	struct buf list = { 0 };
	bool is_complete = false;
	struct str line, rest;
	uint64_t n;

	while (input_line(in, &line)) {
		rest = str_trim(line);
		if (!str_u64(str_cut(&rest, ' '), &n) || !skip_share(&rest)) {
			is_complete = true;
			continue;
		}
		if (is_complete)
			list.len = 0;
		is_complete = false;
		buf_str(&list, str_trim(line));
		buf_char(&list, '\n');
	}
	for (rest = buf_slice(&list); rest.len > 0;) {
		line = str_cut(&rest, '\n');
		str_u64(str_cut(&line, ' '), &n);
		skip_share(&line);
		push_list(out, &sample, line, cut_colon, n, true);
	}
	buf_free(&list);
}

/* Stacks of knielsen-pmp, one frame a line. */

/* "ip = 401214 <leaf>+25" */
static bool
parse_address(struct frame *frame, struct str line)
{
	struct str rest = str_skip(line, strlen("ip = "));
	const char *end;

	if (!str_starts(line, STR("ip = ")) ||
	    !str_hex(str_cut(&rest, ' '), &frame->addr))
		return false;
	end = memrchr(rest.p, '>', rest.len);
	if (!str_starts(rest, STR("<")) || end == NULL)
		return false;
	frame->has_addr = true;
	frame->name = str_range(rest.p + 1, end);
	return true;
}

/* A line of the resolver: "<leaf+25> (/opt/demo/work)", or "0x401214" */
static bool
parse_resolved(struct frame *frame, struct str line)
{
	const char *end = str_search(line, STR("> (")), *plus;

	if (str_starts(line, STR("0x"))) {
		frame->has_addr = true;
		return str_hex(str_skip(line, 2), &frame->addr);
	}
	if (!str_starts(line, STR("<")) || end == NULL ||
	    !str_ends(line, STR(")")))
		return false;
	frame->module = str_range(end + strlen("> ("), line.p + line.len - 1);
	frame->name = str_range(line.p + 1, end);
	plus = memrchr(frame->name.p, '+', frame->name.len);
	if (plus != NULL)
		frame->name = str_range(frame->name.p, plus);
	/* a negative offset: code before the first symbol of the file */
	if (plus != NULL && plus[1] == '-')
		frame->name.len = 0;
	return true;
}

static void
end_thread(struct sink *out, bool is_open, size_t n)
{
	if (!is_open)
		return;
	if (n >= KNIELSEN_FRAMES)
		sink_truncated(out);
	sink_end(out, count_of(1));
}

/* Other lines are messages of the resolver, or the list at the end. */
static void
read_addresses(struct input *in, struct sink *out)
{
	struct sample sample = SAMPLE_UNKNOWN;
	bool is_open = false;
	struct frame frame;
	struct str line, rest;
	uint64_t tid;
	size_t n = 0;

	while (input_line(in, &line)) {
		rest = line = str_rtrim(line);
		str_cut(&rest, ' ');
		frame = (struct frame){ 0 };
		if (str_starts(line, STR("Thread: ")) && str_u64(rest, &tid)) {
			end_thread(out, is_open, n);
			sample.tid = tid <= INT64_MAX ? (int64_t)tid : -1;
			is_open = sink_begin(out, &sample);
			n = 0;
		} else if (is_open && (parse_address(&frame, line) ||
				       parse_resolved(&frame, line))) {
			push_frame(out, &frame);
			n++;
		}
	}
	end_thread(out, is_open, n);
}

void
pmptext_read(struct input *in, struct sink *out)
{
	switch (format_of(input_peek(in, HEAD))) {
	case SHARES:
		read_shares(in, out);
		break;
	case THREADS:
		read_lines(in, out, read_thread);
		break;
	case ADDRESSES:
		read_addresses(in, out);
		break;
	case TREE:
		pmptree_read(in, out);
		break;
	case BACKTRACE:
		backtrace_read(in, out, false);
		break;
	case COUNTED:
	case UNKNOWN:
		read_lines(in, out, read_counted);
		break;
	}
}
