/* backtrace.c - reads the backtraces that debuggers print. */
#include "formats/backtrace.h"

#include "base/mem.h"
#include "demangle/demangle.h"
#include "folded/name.h"
#include "formats/pyframe.h"

#include <stdlib.h>

enum backtrace_line_kind {
	LINE_OTHER,
	LINE_FRAME,    /* "#3  0x000055f8 in f (n=5) at a.c:7" */
	LINE_FROM,     /* "   from /lib/libc.so.6", module of the frame above */
	LINE_THREAD,   /* "Thread 2 (Thread 0x7f (LWP 5) "name"):" */
	LINE_PROCESS,  /* "PID 5 - process", "Attaching to process 5" */
	LINE_MORE,     /* "(More stack frames follow...)": callers missing */
	LINE_LOCATION, /* the next frame shows where the debugger stopped */
	LINE_LISTING,  /* of lldb: one frame of each thread follows, */
	LINE_COMMAND,  /* up to the next command */
	LINE_PYTHON,   /* "Traceback (most recent call first):" */
	LINE_DETACHED  /* "[Inferior 1 (process 5) detached]" */
};

/* A parsed line.  Slices point into it; fields of other kinds are zero. */
struct backtrace_line {
	enum backtrace_line_kind kind;
	uint64_t number;   /* of a frame, from 0 at the leaf */
	struct str name;   /* of a function; empty if unknown */
	struct str module; /* path or name */
	uint64_t addr;     /* if has_addr */
	bool has_addr;
	bool is_signal; /* the next frame was interrupted, and did not call */
	bool is_lldb;
	bool is_inlined;  /* as lldb says itself */
	int64_t pid, tid; /* -1 if unknown */
	struct str comm;  /* name of a thread, empty if unknown */
};

/* Cut s before the first what; false if s does not contain it. */
static bool
cut_before(struct str *s, struct str what)
{
	const char *p = str_search(*s, what);

	if (p == NULL)
		return false;
	*s = str_range(s->p, p);
	return true;
}

/* Move s past the first what; false if s does not contain it. */
static bool
skip_past(struct str *s, struct str what)
{
	const char *p = str_search(*s, what);

	if (p == NULL)
		return false;
	*s = str_range(p + what.len, s->p + s->len);
	return true;
}

/* Cut a number off the start of s, decimal or with 0x. */
static bool
cut_number(struct str *s, uint64_t *n)
{
	bool is_hex = str_starts(*s, STR("0x"));
	struct str digits = str_skip(*s, is_hex ? 2 : 0);
	size_t len = 0;

	while (len < digits.len && (is_hex ? str_hexdigit(digits.p[len]) >= 0 :
					     str_isdigit(digits.p[len])))
		len++;
	*s = str_skip(digits, len);
	digits.len = len;
	return is_hex ? str_hex(digits, n) : str_u64(digits, n);
}

static int64_t
parse_id(struct str s)
{
	uint64_t n;

	return cut_number(&s, &n) && n <= INT64_MAX ? (int64_t)n : -1;
}

/* Lines about threads. */

/* Thread 2 (Thread 0x7f (LWP 5) "name"):  or  Thread 2 (LWP 5), name: */
static bool
parse_gdb_thread(struct backtrace_line *l, struct str line)
{
	struct str rest = line, number;

	if (!str_starts(line, STR("Thread ")) || !str_ends(line, STR(":")))
		return false;
	rest = str_skip(rest, strlen("Thread "));
	rest.len--;
	number = str_cut(&rest, ' ');
	if (number.len == 0 || !str_isdigit(*number.p) ||
	    !str_starts(rest, STR("(")))
		return false;
	l->kind = LINE_THREAD;
	l->comm = rest;
	if (skip_past(&l->comm, STR(" \""))) {
		while (l->comm.len > 0 && l->comm.p[l->comm.len - 1] != '"')
			l->comm.len--;
		l->comm.len -= l->comm.len > 0;
	} else if (!skip_past(&l->comm, STR("), ")))
		l->comm.len = 0;
	if (skip_past(&rest, STR("LWP ")))
		l->tid = parse_id(rest);
	else if (skip_past(&rest, STR("(process ")))
		l->pid = l->tid = parse_id(rest);
	return true;
}

/* * thread #1, name = 'stuck', stop reason = signal SIGSTOP */
static bool
parse_lldb_thread(struct backtrace_line *l, struct str line)
{
	struct str rest = str_trim(line);

	if (str_starts(rest, STR("*")))
		rest = str_trim(str_skip(rest, 1));
	if (!str_starts(rest, STR("thread #")))
		return false;
	l->kind = LINE_THREAD;
	l->comm = rest;
	if (!skip_past(&l->comm, STR("name = '")) ||
	    !cut_before(&l->comm, STR("'")))
		l->comm.len = 0;
	if (skip_past(&rest, STR("tid = ")))
		l->tid = parse_id(rest);
	return true;
}

/* TID 17324: */
static bool
parse_tid(struct backtrace_line *l, struct str line)
{
	uint64_t n;

	if (!str_starts(line, STR("TID ")) &&
	    !str_starts(line, STR("Thread: ")))
		return false;
	skip_past(&line, STR(" "));
	l->tid = parse_id(line);
	if (!cut_number(&line, &n))
		return false;
	l->kind = LINE_THREAD;
	return true;
}

/* Frames. */

/* "f" of "f + 16"; a name may have " + " in it, "decltype((a) + (1)) g". */
static struct str
without_offset(struct str s)
{
	struct str head = s;

	while (head.len > 0 && str_isdigit(head.p[head.len - 1]))
		head.len--;
	if (head.len == s.len || !str_ends(head, STR(" + ")))
		return s;
	head.len -= strlen(" + ");
	return head;
}

/* stack.so`f(n=5) [inlined] g(n=6) at a.c:7:3 */
static void
parse_lldb_frame(struct backtrace_line *l, struct str rest)
{
	static const char *const suffixes[] = { " at ", " [opt]",
						" [artificial]" };
	size_t i;

	l->module = str_cut(&rest, '`');
	if (rest.len == 0) /* no symbol: "libc.so.6 + 19" */
		l->module = str_cut(&l->module, ' ');
	l->is_lldb = true;
	l->is_inlined = skip_past(&rest, STR(" [inlined] "));
	for (i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++)
		cut_before(&rest, str_of(suffixes[i]));
	rest = without_offset(rest);
	/* a name that lldb has made up */
	if (str_starts(rest, STR("___lldb_unnamed_symbol")))
		return;
	l->name = rest;
	/* lldb mistakes "()" for the arguments: "operator(this=...)(int)" */
	if (str_search(rest, STR("operator()")) == NULL &&
	    cut_before(&rest, STR("operator(")))
		l->name.len = rest.len + strlen("operator");
}

/* 0x00007fa7 - 1 f(int) - /lib/libc.so.6 */
static void
parse_eu_frame(struct backtrace_line *l, struct str rest)
{
	const char *p;

	if (str_starts(rest, STR(" - 1")) &&
	    (rest.len == 4 || rest.p[4] == ' '))
		rest = str_skip(rest, 4);
	p = str_search(rest, STR(" - /"));
	if (p == NULL)
		p = str_search(rest, STR(" - ["));
	if (p != NULL) {
		l->module = str_range(p + 3, rest.p + rest.len);
		rest = str_range(rest.p, p);
	}
	l->name = str_trim(rest);
}

/* f(int) (n=5) at a.c:7  or  ?? () from /lib/libc.so.6 */
static void
parse_gdb_frame(struct backtrace_line *l, struct str rest)
{
	const struct str from = STR(" from ");
	const char *p = str_search(rest, from);

	l->name = name_before_values(rest);
	if (l->name.len == rest.len) { /* quickstack -a, or a wrapped line */
		cut_before(&l->name, from);
		cut_before(&l->name, STR(" at "));
	}
	if (str_eq(l->name, STR("??")))
		l->name.len = 0;
	if (p != NULL && l->name.len == 0)
		l->module = str_range(p + from.len, rest.p + rest.len);
}

/* The part after the number.  gdb prints "in", eu-stack does not. */
static void
parse_frame(struct backtrace_line *l, struct str rest)
{
	l->kind = LINE_FRAME;
	l->is_signal = str_eq(rest, STR("<signal handler called>"));
	l->has_addr = str_starts(rest, STR("0x")) &&
		      cut_number(&rest, &l->addr);
	if (!l->has_addr)
		parse_gdb_frame(l, rest);
	else if (str_starts(rest, STR(" in ")))
		parse_gdb_frame(l, str_trim(str_skip(rest, 4)));
	else
		parse_eu_frame(l, rest);
}

/* #3  0x000055f8 in f (n=5) at a.c:7 */
static bool
parse_numbered(struct backtrace_line *l, struct str line)
{
	struct str rest = str_trim(line);

	if (!str_starts(rest, STR("#")))
		return false;
	rest = str_skip(rest, 1);
	if (!cut_number(&rest, &l->number) || !str_starts(rest, STR(" ")) ||
	    str_trim(rest).len == 0)
		return false;
	parse_frame(l, str_trim(rest));
	return true;
}

/*  * frame #0: 0x00007fa7 libc.so.6`read + 13 */
static bool
parse_lldb_numbered(struct backtrace_line *l, struct str line)
{
	struct str rest = str_trim(line);

	if (str_starts(rest, STR("* ")))
		rest = str_trim(str_skip(rest, 1));
	if (!str_starts(rest, STR("frame #")))
		return false;
	rest = str_skip(rest, strlen("frame #"));
	if (!cut_number(&rest, &l->number) || !str_starts(rest, STR(": ")))
		return false;
	l->kind = LINE_FRAME;
	rest = str_skip(rest, 2);
	l->has_addr = cut_number(&rest, &l->addr);
	parse_lldb_frame(l, str_trim(rest));
	return true;
}

/* Whether the line starts with a prefix; s is then the rest. */
static bool
cut_prefix(struct str line, const char *prefix, struct str *s)
{
	*s = str_skip(line, strlen(prefix));
	return str_starts(line, str_of(prefix));
}

static bool
parse_process(struct backtrace_line *l, struct str line)
{
	struct str id;

	if (!cut_prefix(line, "PID ", &id) &&
	    !cut_prefix(line, "Attaching to process ", &id))
		return false;
	l->pid = parse_id(id);
	l->kind = LINE_PROCESS;
	return l->pid >= 0;
}

/* The kind of a line that describes the frames around it. */
static enum backtrace_line_kind
kind_of(struct str line)
{
	static const struct {
		const char *prefix;
		enum backtrace_line_kind kind;
	} kinds[] = {
		{ "(More stack frames follow...)", LINE_MORE },
		{ "Backtrace stopped: ", LINE_MORE },
		{ "eu-stack: dwfl_thread_getframes ", LINE_MORE },
		{ "Core was generated by ", LINE_LOCATION },
		{ "[Switching to thread ", LINE_LOCATION },
		{ "(lldb) ", LINE_COMMAND },
		{ "Traceback (most recent call first):", LINE_PYTHON },
		{ "[Inferior ", LINE_DETACHED },
	};
	struct str rest;
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (cut_prefix(line, kinds[i].prefix, &rest))
			return kinds[i].kind;
	}
	if (cut_prefix(line, "Process ", &rest) &&
	    str_ends(rest, STR(" stopped")))
		return LINE_LISTING;
	if (cut_prefix(line, "eu-stack: tid ", &rest) &&
	    str_search(rest, STR(": shown max number of frames")) != NULL)
		return LINE_MORE;
	return LINE_OTHER;
}

static void
parse_line(struct backtrace_line *l, struct str line)
{
	struct str rest;

	*l = (struct backtrace_line){ .pid = -1, .tid = -1 };
	line = str_rtrim(line);
	if (parse_numbered(l, line) || parse_lldb_numbered(l, line) ||
	    parse_gdb_thread(l, line) || parse_lldb_thread(l, line) ||
	    parse_tid(l, line) || parse_process(l, line))
		return;
	l->kind = kind_of(line);
	if (cut_prefix(line, "   from ", &rest) ||
	    cut_prefix(line, "    from ", &rest)) {
		l->kind = LINE_FROM;
		l->module = rest;
	}
}

/* A frame of the stack that is being read. */
struct backtrace_frame {
	size_t name, name_len, module, module_len; /* in backtrace.text */
	uint64_t addr;
	bool has_addr, is_signal, is_lldb, is_inlined, whole;
};

struct backtrace {
	struct backtrace_frame *frame; /* leaf first */
	size_t n, cap;
	struct buf text;
	uint64_t number; /* of the last frame */
	bool is_open, is_truncated;
	bool is_python;    /* lines of a Python traceback follow */
	bool python_lines; /* the option of backtrace_read() */
	bool is_location;  /* a stack of one frame is no backtrace */
	bool is_listing;   /* the lines that follow are no backtraces */
	bool has_thread;   /* a line has announced the thread: */
	int64_t pid, tid;
	struct buf comm;

	struct buf line, name; /* scratch */
};

/* The line without colour escapes of a terminal and without CR. */
static struct str
strip_colours(struct buf *out, struct str line)
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
store_text(struct backtrace *b, struct str s)
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

/* Whether s starts with a value of an argument: "n=5", or "(null)=5". */
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
 * The length of the group in parentheses at the start of s, or of s if the
 * group does not end.  Parentheses in strings do not count.
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

/* Move s past a ")" that has no "(" in s; false if there is none. */
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
 * Older lldb prints the values of arguments in place of the first parameter
 * types in the name, "f(this=0x7f24, n=5)::$_0::operator()(int)": print
 * "f(...)::$_0::operator()".  If the types have parentheses, lldb replaces only
 * a part of them.  False if the name is not like that.
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
 * The name as in the source.  eu-stack does not demangle Rust, lldb and gdb not
 * all of C++.  lldb prints the values of arguments after the name.
 */
static struct str
source_name(struct backtrace *b, const struct backtrace_line *l)
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

/* Add a frame.  lldb shortens "operator()" to "operator". */
static struct backtrace_frame *
store_frame(struct backtrace *b, struct str name)
{
	struct backtrace_frame *f;

	b->frame = mem_grow(b->frame, &b->cap, b->n + 1, sizeof(*b->frame));
	f = &b->frame[b->n++];
	*f = (struct backtrace_frame){ .name = store_text(b, name) };
	if (str_ends(name, STR("operator")))
		buf_str(&b->text, STR("()"));
	f->name_len = b->text.len - f->name;
	return f;
}

static void
store_module(struct backtrace *b, struct backtrace_frame *f, struct str module)
{
	if (str_eq(module, STR("??")))
		return;
	f->module = store_text(b, module);
	f->module_len = module.len;
}

static struct str
text_of(const struct backtrace *b, size_t at, size_t len)
{
	return len == 0 ? STR("") : (struct str){ b->text.p + at, len };
}

static struct str
name_of(const struct backtrace *b, const struct backtrace_frame *f)
{
	return text_of(b, f->name, f->name_len);
}

/*
 * Whether frame i is inlined into the next.  gdb prints no address for the
 * outer of both frames; eu-stack prints the same address twice.
 */
static bool
is_inlined(const struct backtrace *b, size_t i, bool any_addr)
{
	const struct backtrace_frame *f = &b->frame[i], *outer = f + 1;

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
	const struct backtrace_frame *f;
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

/* Drop an outermost frame at address 0 without a name. */
static void
drop_null_frame(struct backtrace *b)
{
	const struct backtrace_frame *last = &b->frame[b->n - 1];

	if (b->n > 1 && last->has_addr && last->addr == 0 &&
	    last->name_len == 0)
		b->n--;
}

static void
end_stack(struct backtrace *b, struct sink *out)
{
	struct sample sample = SAMPLE_UNKNOWN;
	bool is_stack = b->n > (b->is_location ? 1 : 0);

	sample.pid = b->pid;
	if (b->has_thread) {
		sample.tid = b->tid;
		sample.comm = buf_slice(&b->comm);
	}
	if (b->is_open && is_stack && sink_begin(out, &sample)) {
		drop_null_frame(b);
		push_frames(b, out);
		if (b->is_truncated)
			sink_truncated(out);
		sink_end(out, count_of(1));
	}
	if (b->is_open)
		b->is_location = b->has_thread = false;
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
begin_thread(struct backtrace *b, struct sink *out,
	     const struct backtrace_line *l)
{
	end_stack(b, out);
	b->is_location = false;
	b->has_thread = true;
	b->tid = l->tid;
	if (l->pid >= 0)
		b->pid = l->pid;
	b->comm.len = 0;
	buf_str(&b->comm, l->comm);
}

/*
 * Frame 0 begins a stack.  After a thread line any frame does: some tools count
 * from 1, and some are told to start in the middle.
 */
static void
add_frame(struct backtrace *b, struct input *in, struct sink *out,
	  const struct backtrace_line *l)
{
	struct backtrace_frame *f;

	if (l->number == 0 || (!b->is_open && b->has_thread))
		begin_stack(b, out);
	else if (!b->is_open || l->number <= b->number) {
		input_bad(in, "a frame without its callees");
		return;
	}
	b->number = l->number;
	f = store_frame(b, source_name(b, l));
	store_module(b, f, l->module);
	f->addr = l->addr;
	f->has_addr = l->has_addr;
	f->is_lldb = l->is_lldb;
	f->is_inlined = l->is_inlined;
	f->is_signal = f->whole = l->is_signal;
}

/* Set the module of a nameless frame whose line was wrapped. */
static void
add_module(struct backtrace *b, struct str module)
{
	if (b->n > 0 && b->frame[b->n - 1].name_len == 0)
		store_module(b, &b->frame[b->n - 1], module);
}

/*
 * Read a line of a Python traceback, most recent call first: a frame, or a line
 * of source below it.  False at the end of the traceback.
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
	if (pyframe_print(&b->name, name, b->python_lines))
		name = buf_slice(&b->name);
	else if (at != NULL && str_ends(name, STR(">"))) {
		b->name.len = 0;
		buf_str(&b->name, str_range(name.p, at));
		buf_char(&b->name, '>');
		name = buf_slice(&b->name);
	} else if (str_starts(name, STR("(unable to read")))
		name.len = 0;
	store_frame(b, name)->whole = true;
	return true;
}

static void
handle_line(struct backtrace *b, struct input *in, struct sink *out,
	    const struct backtrace_line *l)
{
	switch (l->kind) {
	case LINE_FRAME:
		add_frame(b, in, out, l);
		break;
	case LINE_FROM:
		add_module(b, l->module);
		break;
	case LINE_THREAD:
		begin_thread(b, out, l);
		break;
	case LINE_PROCESS:
		end_stack(b, out);
		b->pid = l->pid;
		break;
	case LINE_MORE:
		b->is_truncated = true;
		end_stack(b, out);
		break;
	case LINE_LOCATION:
		end_stack(b, out);
		b->is_location = true;
		break;
	case LINE_PYTHON:
		begin_stack(b, out);
		b->is_python = true;
		break;
	case LINE_DETACHED:
		end_stack(b, out);
		b->pid = -1;
		break;
	case LINE_LISTING:
	case LINE_COMMAND:
		end_stack(b, out);
		b->is_listing = l->kind == LINE_LISTING;
		break;
	case LINE_OTHER:
		break;
	}
}

void
backtrace_read(struct input *in, struct sink *out, bool python_lines)
{
	struct backtrace b = { .pid = -1,
			       .tid = -1,
			       .python_lines = python_lines };
	uint64_t good = in->tally->good, bad = in->tally->bad;
	bool any = false;
	struct backtrace_line l;
	struct str line;

	while (input_line(in, &line)) {
		line = strip_colours(&b.line, line);
		any |= str_trim(line).len > 0;
		if (b.is_python && add_python(&b, line))
			continue;
		parse_line(&l, line);
		if (!b.is_listing || l.kind == LINE_COMMAND)
			handle_line(&b, in, out, &l);
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
