/* btline.c - one line of what debuggers print of the stacks of threads. */
#include "btline.h"

#include "name.h"

/* Cut s before the first what; whether it is there. */
static bool
cut_before(struct str *s, struct str what)
{
	const char *p = str_search(*s, what);

	if (p == NULL)
		return false;
	*s = str_range(s->p, p);
	return true;
}

/* Move s behind the first what; whether it is there. */
static bool
skip_behind(struct str *s, struct str what)
{
	const char *p = str_search(*s, what);

	if (p == NULL)
		return false;
	*s = str_range(p + what.len, s->p + s->len);
	return true;
}

/* The number at the start of s, decimal or with 0x, behind which s moves. */
static bool
take_number(struct str *s, uint64_t *n)
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

	return take_number(&s, &n) && n <= INT64_MAX ? (int64_t)n : -1;
}

/* What threads and processes are known by. */

/* Thread 2 (Thread 0x7f (LWP 5) "name"):  or  Thread 2 (LWP 5), name: */
static bool
parse_gdb_thread(struct btline *l, struct str line)
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
	l->kind = BTLINE_THREAD;
	l->comm = rest;
	if (skip_behind(&l->comm, STR(" \""))) {
		while (l->comm.len > 0 && l->comm.p[l->comm.len - 1] != '"')
			l->comm.len--;
		l->comm.len -= l->comm.len > 0;
	} else if (!skip_behind(&l->comm, STR("), ")))
		l->comm.len = 0;
	if (skip_behind(&rest, STR("LWP ")))
		l->tid = parse_id(rest);
	else if (skip_behind(&rest, STR("(process ")))
		l->pid = l->tid = parse_id(rest);
	return true;
}

/* * thread #1, name = 'stuck', stop reason = signal SIGSTOP */
static bool
parse_lldb_thread(struct btline *l, struct str line)
{
	struct str rest = str_trim(line);

	if (str_starts(rest, STR("*")))
		rest = str_trim(str_skip(rest, 1));
	if (!str_starts(rest, STR("thread #")))
		return false;
	l->kind = BTLINE_THREAD;
	l->comm = rest;
	if (!skip_behind(&l->comm, STR("name = '")) ||
	    !cut_before(&l->comm, STR("'")))
		l->comm.len = 0;
	if (skip_behind(&rest, STR("tid = ")))
		l->tid = parse_id(rest);
	return true;
}

/* TID 17324: */
static bool
parse_tid(struct btline *l, struct str line)
{
	uint64_t n;

	if (!str_starts(line, STR("TID ")) &&
	    !str_starts(line, STR("Thread: ")))
		return false;
	skip_behind(&line, STR(" "));
	l->tid = parse_id(line);
	if (!take_number(&line, &n))
		return false;
	l->kind = BTLINE_THREAD;
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
parse_lldb_frame(struct btline *l, struct str rest)
{
	static const char *const behind[] = { " at ", " [opt]",
					      " [artificial]" };
	size_t i;

	l->module = str_cut(&rest, '`');
	if (rest.len == 0) /* no symbol: "libc.so.6 + 19" */
		l->module = str_cut(&l->module, ' ');
	l->is_lldb = true;
	l->is_inlined = skip_behind(&rest, STR(" [inlined] "));
	for (i = 0; i < sizeof(behind) / sizeof(*behind); i++)
		cut_before(&rest, str_of(behind[i]));
	rest = without_offset(rest);
	/* a name that lldb makes up */
	if (str_starts(rest, STR("___lldb_unnamed_symbol")))
		return;
	l->name = rest;
	/* it takes "()" for the arguments: "operator(this=...)(int)" */
	if (str_search(rest, STR("operator()")) == NULL &&
	    cut_before(&rest, STR("operator(")))
		l->name.len = rest.len + strlen("operator");
}

/* 0x00007fa7 - 1 f(int) - /lib/libc.so.6 */
static void
parse_eu_frame(struct btline *l, struct str rest)
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
parse_gdb_frame(struct btline *l, struct str rest)
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

/* What stands behind the number: gdb and eu-stack tell by "in". */
static void
parse_frame(struct btline *l, struct str rest)
{
	l->kind = BTLINE_FRAME;
	l->is_signal = str_eq(rest, STR("<signal handler called>"));
	l->has_addr = str_starts(rest, STR("0x")) &&
		      take_number(&rest, &l->addr);
	if (!l->has_addr)
		parse_gdb_frame(l, rest);
	else if (str_starts(rest, STR(" in ")))
		parse_gdb_frame(l, str_trim(str_skip(rest, 4)));
	else
		parse_eu_frame(l, rest);
}

/* #3  0x000055f8 in f (n=5) at a.c:7 */
static bool
parse_numbered(struct btline *l, struct str line)
{
	struct str rest = str_trim(line);

	if (!str_starts(rest, STR("#")))
		return false;
	rest = str_skip(rest, 1);
	if (!take_number(&rest, &l->number) || !str_starts(rest, STR(" ")) ||
	    str_trim(rest).len == 0)
		return false;
	parse_frame(l, str_trim(rest));
	return true;
}

/*  * frame #0: 0x00007fa7 libc.so.6`read + 13 */
static bool
parse_lldb_numbered(struct btline *l, struct str line)
{
	struct str rest = str_trim(line);

	if (str_starts(rest, STR("* ")))
		rest = str_trim(str_skip(rest, 1));
	if (!str_starts(rest, STR("frame #")))
		return false;
	rest = str_skip(rest, strlen("frame #"));
	if (!take_number(&rest, &l->number) || !str_starts(rest, STR(": ")))
		return false;
	l->kind = BTLINE_FRAME;
	rest = str_skip(rest, 2);
	l->has_addr = take_number(&rest, &l->addr);
	parse_lldb_frame(l, str_trim(rest));
	return true;
}

/* Whether the line begins so; if so, s is what follows. */
static bool
begins(struct str line, const char *with, struct str *s)
{
	*s = str_skip(line, strlen(with));
	return str_starts(line, str_of(with));
}

static bool
parse_process(struct btline *l, struct str line)
{
	struct str id;

	if (!begins(line, "PID ", &id) &&
	    !begins(line, "Attaching to process ", &id))
		return false;
	l->pid = parse_id(id);
	l->kind = BTLINE_PROCESS;
	return l->pid >= 0;
}

/* Lines that say what the frames around them are. */
static enum btline_kind
kind_of(struct str line)
{
	static const struct {
		const char *with;
		enum btline_kind kind;
	} kinds[] = {
		{ "(More stack frames follow...)", BTLINE_MORE },
		{ "Backtrace stopped: ", BTLINE_MORE },
		{ "eu-stack: dwfl_thread_getframes ", BTLINE_MORE },
		{ "Core was generated by ", BTLINE_PLACE },
		{ "[Switching to thread ", BTLINE_PLACE },
		{ "(lldb) ", BTLINE_COMMAND },
		{ "Traceback (most recent call first):", BTLINE_PYTHON },
		{ "[Inferior ", BTLINE_DETACHED },
	};
	struct str rest;
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (begins(line, kinds[i].with, &rest))
			return kinds[i].kind;
	}
	if (begins(line, "Process ", &rest) && str_ends(rest, STR(" stopped")))
		return BTLINE_LISTING;
	if (begins(line, "eu-stack: tid ", &rest) &&
	    str_search(rest, STR(": shown max number of frames")) != NULL)
		return BTLINE_MORE;
	return BTLINE_OTHER;
}

void
btline_parse(struct btline *l, struct str line)
{
	struct str rest;

	*l = (struct btline){ .pid = -1, .tid = -1 };
	line = str_rtrim(line);
	if (parse_numbered(l, line) || parse_lldb_numbered(l, line) ||
	    parse_gdb_thread(l, line) || parse_lldb_thread(l, line) ||
	    parse_tid(l, line) || parse_process(l, line))
		return;
	l->kind = kind_of(line);
	if (begins(line, "   from ", &rest) ||
	    begins(line, "    from ", &rest)) {
		l->kind = BTLINE_FROM;
		l->module = rest;
	}
}
