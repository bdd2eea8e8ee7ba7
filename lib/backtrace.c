/* backtrace.c - stacks of threads, in what debuggers print. */
#include "backtrace.h"

#include "btline.h"
#include "demangle.h"
#include "mem.h"
#include "pyframe.h"

#include <stdlib.h>

/* A frame that is kept until its stack is complete. */
struct kept {
	size_t name, name_len, module, module_len; /* in backtrace.text */
	uint64_t addr;
	bool has_addr, is_signal, is_lldb, is_inlined, whole;
};

struct backtrace {
	struct kept *frame; /* leaf first */
	size_t n, cap;
	struct buf text;
	uint64_t number; /* of the last frame */
	bool is_open, is_truncated;
	bool is_python;  /* lines of a traceback follow */
	bool is_place;   /* if it has one frame, it is no backtrace */
	bool is_listing; /* what follows are no backtraces */
	bool has_thread; /* was announced, by these: */
	int64_t pid, tid;
	struct buf comm;

	struct buf line, name; /* scratch */
};

/* The line without what colours it on a terminal, and without CR. */
static struct str
without_colours(struct buf *out, struct str line)
{
	const char *p = line.p, *end = line.p + line.len;

	line = str_without_cr(line);
	if (str_find(line, '\033') == NULL)
		return line;
	end = line.p + line.len;
	out->len = 0;
	while (p < end) {
		if (*p != '\033' || p + 1 == end || p[1] != '[') {
			buf_char(out, *p++);
			continue;
		}
		for (p += 2; p < end && (*p < '@' || *p > '~'); p++)
			continue;
		p += p < end;
	}
	return buf_slice(out);
}

static size_t
keep_text(struct backtrace *b, struct str s)
{
	size_t at = b->text.len;

	buf_str(&b->text, s);
	return at;
}

static bool
is_word(char c)
{
	return str_isdigit(c) || c == '_' ||
	       ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

/* Whether a group in parentheses begins so: "n=5", or "(null)=5". */
static bool
begins_values(struct str s)
{
	const struct str null = STR("(null)");
	size_t n = str_starts(s, null) ? null.len : 0;

	while (n < s.len && is_word(s.p[n]))
		n++;
	return n > 0 && n + 1 < s.len && s.p[n] == '=' && s.p[n + 1] != '=';
}

/*
 * The end of the group in parentheses at the start of s, of which those in
 * strings are none; its length if it has no end.
 */
static size_t
values_length(struct str s)
{
	size_t i, depth = 0;
	char quote = 0;

	for (i = 0; i < s.len; i++) {
		if (quote != 0 && s.p[i] == '\\')
			i++;
		else if (quote != 0)
			quote = s.p[i] == quote ? 0 : quote;
		else if (s.p[i] == '"' || s.p[i] == '\'')
			quote = s.p[i];
		else if (s.p[i] == '(')
			depth++;
		else if (s.p[i] == ')' && --depth == 0)
			return i + 1;
	}
	return s.len;
}

/* Move s behind a parenthesis that it does not open; whether there is one. */
static bool
skip_unopened(struct str *s)
{
	size_t i, depth = 0;

	for (i = 0; i < s->len; i++) {
		if (s->p[i] == '(')
			depth++;
		else if (s->p[i] == ')' && depth-- == 0) {
			*s = str_skip(*s, i + 1);
			return true;
		}
	}
	return false;
}

/*
 * Older lldb puts the values of arguments in place of the first types it
 * finds, "f(this=0x7f24, n=5)::$_0::operator()(int)":
 * "f(...)::$_0::operator()". Types with parentheses it replaces in part.  False
 * if the name is as usual.
 */
static bool
without_values(struct buf *out, struct str name)
{
	const char *p = name.p, *end = name.p + name.len;
	bool is_cut;
	struct str head, rest;

	for (; (p = memchr(p, '(', (size_t)(end - p))) != NULL; p++) {
		if (begins_values(str_range(p + 1, end)))
			break;
	}
	if (p == NULL)
		return false;
	head = str_range(name.p, p);
	rest = str_range(p, end);
	rest = str_skip(rest, values_length(rest));
	is_cut = skip_unopened(&rest);
	if (str_ends(head, STR("decltype")) || str_ends(head, STR("::")) ||
	    (str_starts(rest, STR("::")) && !is_cut)) {
		buf_str(out, head);
		buf_str(out, STR("(...)"));
		buf_str(out, rest);
		return true;
	}
	buf_str(out, head);
	return is_cut;
}

/*
 * The name as it was written: eu-stack does not know what Rust makes of names,
 * lldb and gdb not all of C++.  lldb puts the values of arguments behind it.
 */
static struct str
written_name(struct backtrace *b, const struct btline *l)
{
	struct str rest = l->name;

	if (rest.len == 0)
		return rest;
	b->name.len = 0;
	if (demangle(&b->name, str_cut(&rest, '(')) ||
	    (l->is_lldb && without_values(&b->name, l->name)))
		return buf_slice(&b->name);
	return l->name;
}

/* Keep a frame; "operator" alone is what lldb makes of "operator()". */
static struct kept *
keep_frame(struct backtrace *b, struct str name)
{
	struct kept *f;

	b->frame = mem_grow(b->frame, &b->cap, b->n + 1, sizeof(*b->frame));
	f = &b->frame[b->n++];
	*f = (struct kept){ .name = keep_text(b, name) };
	if (str_ends(name, STR("operator")))
		buf_str(&b->text, STR("()"));
	f->name_len = b->text.len - f->name;
	return f;
}

static void
keep_module(struct backtrace *b, struct kept *f, struct str module)
{
	if (str_eq(module, STR("??")))
		return;
	f->module = keep_text(b, module);
	f->module_len = module.len;
}

static struct str
text_of(const struct backtrace *b, size_t at, size_t len)
{
	return len == 0 ? STR("") : (struct str){ b->text.p + at, len };
}

static struct str
name_of(const struct backtrace *b, const struct kept *f)
{
	return text_of(b, f->name, f->name_len);
}

/*
 * Whether frame i is inlined into the next.  gdb prints no address for a
 * frame into which another is inlined; eu-stack prints the same for both.
 */
static bool
is_inlined(const struct backtrace *b, size_t i, bool any_addr)
{
	const struct kept *f = &b->frame[i], *outer = f + 1;

	if (f->is_lldb || i + 1 == b->n || f->is_signal || outer->is_signal)
		return f->is_inlined;
	if (!outer->has_addr)
		return any_addr;
	return f->has_addr && f->addr == outer->addr &&
	       !str_eq(name_of(b, f), name_of(b, outer));
}

static void
push_frames(const struct backtrace *b, struct sink *out)
{
	bool any_addr = false;
	const struct kept *f;
	size_t i;

	for (i = 0; i < b->n; i++)
		any_addr |= b->frame[i].has_addr;
	for (i = 0; i < b->n; i++) {
		f = &b->frame[i];
		sink_frame(
		    out, &(struct frame){
			     .name = name_of(b, f),
			     .module = text_of(b, f->module, f->module_len),
			     .addr = f->addr,
			     .has_addr = f->has_addr,
			     .whole = f->whole,
			     .kind = is_inlined(b, i, any_addr) ? FRAME_INLINE :
								  FRAME_USER });
	}
}

/* Frames of which debuggers say that there is nothing. */
static void
drop_end(struct backtrace *b)
{
	const struct kept *last = &b->frame[b->n - 1];

	if (b->n > 1 && last->has_addr && last->addr == 0 &&
	    last->name_len == 0)
		b->n--;
}

static void
end_stack(struct backtrace *b, struct sink *out)
{
	struct sample sample = SAMPLE_UNKNOWN;
	bool is_stack = b->n > (b->is_place ? 1 : 0);

	sample.pid = b->pid;
	if (b->has_thread) {
		sample.tid = b->tid;
		sample.comm = buf_slice(&b->comm);
	}
	if (b->is_open && is_stack && sink_begin(out, &sample)) {
		drop_end(b);
		push_frames(b, out);
		if (b->is_truncated)
			sink_truncated(out);
		sink_end(out, count_of(1));
	}
	if (b->is_open)
		b->is_place = b->has_thread = false;
	b->is_open = b->is_truncated = b->is_python = false;
	b->n = b->text.len = 0;
}

static void
begin_stack(struct backtrace *b, struct sink *out)
{
	end_stack(b, out);
	b->is_open = true;
}

static void
begin_thread(struct backtrace *b, struct sink *out, const struct btline *l)
{
	end_stack(b, out);
	b->is_place = false;
	b->has_thread = true;
	b->tid = l->tid;
	if (l->pid >= 0)
		b->pid = l->pid;
	b->comm.len = 0;
	buf_str(&b->comm, l->comm);
}

/*
 * The first frame begins a stack.  Others go on with it, but some tools count
 * from 1, and some are told to begin in the middle.
 */
static void
add_frame(struct backtrace *b, struct input *in, struct sink *out,
	  const struct btline *l)
{
	struct kept *f;

	if (l->number == 0 || (!b->is_open && b->has_thread))
		begin_stack(b, out);
	else if (!b->is_open || l->number <= b->number) {
		input_bad(in, "a frame without those that it calls");
		return;
	}
	b->number = l->number;
	f = keep_frame(b, written_name(b, l));
	keep_module(b, f, l->module);
	f->addr = l->addr;
	f->has_addr = l->has_addr;
	f->is_lldb = l->is_lldb;
	f->is_inlined = l->is_inlined;
	f->is_signal = f->whole = l->is_signal;
}

/* The module of a nameless frame whose line was wrapped. */
static void
add_module(struct backtrace *b, struct str module)
{
	if (b->n > 0 && b->frame[b->n - 1].name_len == 0)
		keep_module(b, &b->frame[b->n - 1], module);
}

/*
 * A line of a traceback of Python, most recent call first: frames, and below
 * each a line of source; false behind its end.
 */
static bool
add_python(struct backtrace *b, struct str line)
{
	struct str name = str_trim(line);
	const char *at;

	if (name.len == 0 || !str_starts(line, STR("  ")))
		return false;
	if (str_starts(line, STR("    ")))
		return true;
	at = str_search(name, STR(" at remote 0x"));
	if (pyframe_print(&b->name, name))
		name = buf_slice(&b->name);
	else if (at != NULL && str_ends(name, STR(">"))) {
		b->name.len = 0;
		buf_str(&b->name, str_range(name.p, at));
		buf_char(&b->name, '>');
		name = buf_slice(&b->name);
	} else if (str_starts(name, STR("(unable to read")))
		name.len = 0;
	keep_frame(b, name)->whole = true;
	return true;
}

static void
take(struct backtrace *b, struct input *in, struct sink *out,
     const struct btline *l)
{
	switch (l->kind) {
	case BTLINE_FRAME:
		add_frame(b, in, out, l);
		break;
	case BTLINE_FROM:
		add_module(b, l->module);
		break;
	case BTLINE_THREAD:
		begin_thread(b, out, l);
		break;
	case BTLINE_PROCESS:
		end_stack(b, out);
		b->pid = l->pid;
		break;
	case BTLINE_MORE:
		b->is_truncated = true;
		end_stack(b, out);
		break;
	case BTLINE_PLACE:
		end_stack(b, out);
		b->is_place = true;
		break;
	case BTLINE_PYTHON:
		begin_stack(b, out);
		b->is_python = true;
		break;
	case BTLINE_DETACHED:
		end_stack(b, out);
		b->pid = -1;
		break;
	case BTLINE_LISTING:
	case BTLINE_COMMAND:
		end_stack(b, out);
		b->is_listing = l->kind == BTLINE_LISTING;
		break;
	case BTLINE_OTHER:
		break;
	}
}

void
backtrace_read(struct input *in, struct sink *out)
{
	struct backtrace b = { .pid = -1, .tid = -1 };
	uint64_t good = in->tally->good, bad = in->tally->bad;
	bool any = false;
	struct btline l;
	struct str line;

	while (input_line(in, &line)) {
		line = without_colours(&b.line, line);
		any |= str_trim(line).len > 0;
		if (b.is_python && add_python(&b, line))
			continue;
		btline_parse(&l, line);
		if (!b.is_listing || l.kind == BTLINE_COMMAND)
			take(&b, in, out, &l);
	}
	end_stack(&b, out);
	if (any && in->tally->good == good && in->tally->bad == bad)
		input_bad(in, "no backtrace");
	free(b.frame);
	buf_free(&b.text);
	buf_free(&b.comm);
	buf_free(&b.line);
	buf_free(&b.name);
}
