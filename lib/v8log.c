/* v8log.c - the log of V8's --prof: what code was where, and ticks. */
#include "v8log.h"

#include "codemap.h"
#include "jitframe.h"
#include "mem.h"
#include "utf8.h"

#include <inttypes.h>
#include <stdlib.h>

struct log {
	struct input *in;
	struct sink *out;
	const struct v8log_options *opt;
	struct codemap code, libraries;
	uint64_t interval; /* us */
	uint64_t losses;   /* ticks behind others that were lost */
	uint32_t unknown;
	struct buf name;
	uint32_t *stack;
	size_t depth, stack_cap;
};

/* Append a character as UTF-8. */
static void
put_char(struct buf *out, uint32_t c)
{
	const unsigned bits = c < 0x80    ? 0 :
			      c < 0x800   ? 6 :
			      c < 0x10000 ? 12 :
					    18;
	static const unsigned first[] = { 0, 0xc0, 0xe0, 0xf0 };
	unsigned shift = bits;

	buf_char(out, (char)(first[bits / 6] | c >> bits));
	while (shift > 0) {
		shift -= 6;
		buf_char(out, (char)(0x80 | (c >> shift & 0x3f)));
	}
}

/* The length of \xHH or \uHHHH, by its letter, if text begins with it, or 0. */
static size_t
escape_length(struct str s, char letter, uint64_t *c)
{
	const size_t digits = letter == 'x' ? 2 : 4;

	if (s.len < 2 + digits || s.p[0] != '\\' || s.p[1] != letter ||
	    !str_hex((struct str){ s.p + 2, digits }, c))
		return 0;
	return 2 + digits;
}

static bool
is_utf8(struct str s)
{
	size_t n = 1;

	for (; s.len > 0 && n > 0; s = str_skip(s, n))
		n = utf8_length(s.p, s.p + s.len);
	return n > 0;
}

/*
 * Bytes from \x80 on: of a path that the system gave they are UTF-8, else they
 * are characters up to U+00FF.  Returns what is behind them.
 */
static struct str
put_bytes(struct buf *out, struct str s)
{
	const size_t start = out->len;
	struct str rest = s;
	uint64_t c;
	size_t n;

	while ((n = escape_length(rest, 'x', &c)) > 0 && c >= 0x80) {
		buf_char(out, (char)c);
		rest = str_skip(rest, n);
	}
	if (is_utf8(str_skip(buf_slice(out), start)))
		return rest;
	out->len = start;
	while (s.len > rest.len) {
		s = str_skip(s, escape_length(s, 'x', &c));
		put_char(out, (uint32_t)c);
	}
	return rest;
}

/* A unit of UTF-16, or two that are one character. */
static struct str
put_unit(struct buf *out, struct str s)
{
	uint64_t c = 0, low = 0;
	size_t n;

	s = str_skip(s, escape_length(s, 'u', &c));
	if (c >= 0xd800 && c < 0xe000) {
		n = c < 0xdc00 ? escape_length(s, 'u', &low) : 0;
		if (n > 0 && low >= 0xdc00 && low < 0xe000) {
			c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
			s = str_skip(s, n);
		} else {
			c = 0xfffd;
		}
	}
	put_char(out, (uint32_t)c);
	return s;
}

/* A field of the log: \xHH, \uHHHH, \n and \\ in it are escapes. */
static void
unescape(struct buf *out, struct str s)
{
	uint64_t c;
	size_t n;

	while (s.len > 0) {
		if (*s.p != '\\' || s.len == 1) {
			buf_char(out, *s.p);
			s = str_skip(s, 1);
		} else if ((n = escape_length(s, 'x', &c)) > 0 && c < 0x80) {
			buf_char(out, (char)c);
			s = str_skip(s, n);
		} else if (n > 0) {
			s = put_bytes(out, s);
		} else if (escape_length(s, 'u', &c) > 0) {
			s = put_unit(out, s);
		} else {
			buf_char(out, s.p[1] == 'n' ? '\n' : s.p[1]);
			s = str_skip(s, 2);
		}
	}
}

static bool
parse_address(struct str s, uint64_t *address)
{
	return str_starts(s, STR("0x")) && str_hex(str_skip(s, 2), address);
}

/*
 * How code was compiled.  An 'o' before the mark says that it was entered in
 * the middle of a loop.  No mark have the first code of WebAssembly, and
 * functions that V8 interprets and never will optimise.
 */
static enum frame_kind
code_tier(struct str name, struct str mark)
{
	if (str_starts(mark, STR("o")))
		mark = str_skip(mark, 1);
	if (mark.len > 0)
		return jitframe_v8_tier(*mark.p);
	return str_starts(name, STR("wasm-function")) ||
		       str_search(name, STR("-liftoff")) != NULL ?
		   FRAME_LOWJIT :
		   FRAME_INTERP;
}

/*
 * The name of new code.  That of JavaScript is of a function, with an address
 * and a mark behind; all other code says its type.
 */
static uint32_t
code_token(struct log *l, struct str type, struct str name, struct str rest)
{
	struct str function = str_cut(&rest, ','), mark = str_cut(&rest, ',');
	struct frame f = { .whole = true };

	l->name.len = 0;
	if (function.len == 0) {
		buf_str(&l->name, type);
		buf_str(&l->name, STR(": "));
	} else {
		f.kind = code_tier(name, mark);
		if (l->opt->tiers)
			buf_str(&l->name, mark);
		if (str_starts(name, STR(" ")) || name.len == 0)
			buf_str(&l->name, STR("(anonymous)"));
	}
	unescape(&l->name, name);
	f.name = buf_slice(&l->name);
	return sink_token(l->out, &f, 0);
}

/* code-creation,TYPE,kind,time,address,size,name[,function,mark] */
static bool
create_code(struct log *l, struct str rest)
{
	struct str type = str_cut(&rest, ','), name;
	uint64_t address, size;

	str_cut(&rest, ',');
	str_cut(&rest, ',');
	if (!parse_address(str_cut(&rest, ','), &address) ||
	    !str_u64(str_cut(&rest, ','), &size))
		return false;
	name = str_cut(&rest, ',');
	codemap_put(&l->code, address, size, code_token(l, type, name, rest));
	return true;
}

/* shared-library,path,start,end,slide */
static bool
map_library(struct log *l, struct str rest)
{
	struct frame f = { 0 };
	struct str path = str_cut(&rest, ',');
	uint64_t start, end;

	if (!parse_address(str_cut(&rest, ','), &start) ||
	    !parse_address(str_cut(&rest, ','), &end) || end < start)
		return false;
	l->name.len = 0;
	unescape(&l->name, path);
	f.module = buf_slice(&l->name);
	codemap_put(&l->libraries, start, end - start,
		    sink_token(l->out, &f, 0));
	return true;
}

/* code-move,from,to and code-delete,address; of code that is not known too */
static bool
move_code(struct log *l, struct str rest)
{
	uint64_t from, to;

	if (!parse_address(str_cut(&rest, ','), &from) ||
	    !parse_address(str_cut(&rest, ','), &to))
		return false;
	codemap_move(&l->code, from, to);
	return true;
}

static bool
delete_code(struct log *l, struct str rest)
{
	uint64_t address;

	if (!parse_address(str_cut(&rest, ','), &address))
		return false;
	codemap_remove(&l->code, address);
	return true;
}

static void
push_address(struct log *l, uint64_t address)
{
	uint32_t token = l->unknown;

	/* Builtins of V8 lie in its library. */
	if (!codemap_find(&l->code, address, &token))
		codemap_find(&l->libraries, address, &token);
	l->stack = mem_grow(l->stack, &l->stack_cap, l->depth + 1,
			    sizeof(*l->stack));
	l->stack[l->depth++] = token;
}

/* A stack: addresses, or how far they are from the one before; leaf first. */
static bool
read_stack(struct log *l, uint64_t pc, struct str rest)
{
	uint64_t address = pc, n;
	struct str field;

	while (rest.len > 0) {
		field = str_cut(&rest, ',');
		/* V8 had no room for ticks before this one, which is whole. */
		if (str_eq(field, STR("overflow"))) {
			l->losses++;
			continue;
		}
		if (parse_address(field, &n))
			address = n;
		else if (str_starts(field, STR("+")) &&
			 parse_address(str_skip(field, 1), &n))
			address += n;
		else if (str_starts(field, STR("-")) &&
			 parse_address(str_skip(field, 1), &n))
			address -= n;
		else
			return false;
		push_address(l, address);
	}
	return true;
}

static void
push_state(struct log *l, uint64_t state)
{
	static const char *const names[] = {
		"[JS]",       "[GC]",     "[PARSER]",   "[BYTECODE_COMPILER]",
		"[COMPILER]", "[OTHER]",  "[EXTERNAL]", "[ATOMICS_WAIT]",
		"[IDLE]",     "[LOGGING]"
	};
	struct frame f = { .whole = true };

	if (!l->opt->state)
		return;
	f.name = state < sizeof(names) / sizeof(*names) ? str_of(names[state]) :
							  STR("[state]");
	sink_frame(l->out, &f);
}

/* tick,pc,time,in a callback,its address or the stack's top,state,stack... */
static bool
read_tick(struct log *l, struct str rest)
{
	struct sample sample = SAMPLE_UNKNOWN;
	uint64_t pc, external, top, state;

	if (!parse_address(str_cut(&rest, ','), &pc))
		return false;
	str_cut(&rest, ',');
	if (!str_u64(str_cut(&rest, ','), &external) ||
	    !parse_address(str_cut(&rest, ','), &top) ||
	    !str_u64(str_cut(&rest, ','), &state))
		return false;
	if (external != 0)
		pc = top;
	sample.unit = STR("samples");
	sample.ns = l->interval * 1000;
	if (!sink_begin(l->out, &sample))
		return true;
	l->depth = 0;
	push_address(l, pc);
	if (!read_stack(l, pc, rest))
		return false;
	sink_push(l->out, l->stack, l->depth);
	push_state(l, state);
	sink_end(l->out, count_of(1));
	return true;
}

static bool
read_event(struct log *l, struct str event, struct str rest)
{
	if (str_eq(event, STR("tick")))
		return read_tick(l, rest);
	if (str_eq(event, STR("code-creation")))
		return create_code(l, rest);
	if (str_eq(event, STR("code-move")))
		return move_code(l, rest);
	if (str_eq(event, STR("code-delete")))
		return delete_code(l, rest);
	if (str_eq(event, STR("shared-library")))
		return map_library(l, rest);
	if (str_eq(event, STR("profiler")) &&
	    str_eq(str_cut(&rest, ','), STR("begin")))
		return str_u64(str_cut(&rest, ','), &l->interval);
	return true; /* of no interest here */
}

static void
note_losses(struct log *l)
{
	if (l->losses == 0)
		return;
	l->name.len = 0;
	buf_printf(&l->name,
		   "before %" PRIu64 " tick%s others were lost, as V8's buffer "
		   "was full",
		   l->losses, str_plural(l->losses, "", "s"));
	sink_note(l->out, buf_slice(&l->name));
}

void
v8log_read(struct input *in, struct sink *out, const struct v8log_options *opt)
{
	struct log l = { .in = in, .out = out, .opt = opt };
	struct str line, event;

	l.unknown = sink_token(out, &(struct frame){ 0 }, 0);
	while (input_line(in, &line)) {
		line = str_without_cr(line);
		event = str_cut(&line, ',');
		if (!read_event(&l, event, line))
			input_bad(in, "not what %.*s has here", (int)event.len,
				  event.p);
	}
	note_losses(&l);
	codemap_free(&l.code);
	codemap_free(&l.libraries);
	free(l.stack);
	buf_free(&l.name);
}
