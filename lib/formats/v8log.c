/* v8log.c - reads the log of V8's --prof: code addresses and ticks. */
#include "formats/v8log.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "formats/jitframe.h"

#include <inttypes.h>
#include <search.h>
#include <stdlib.h>

/*
 * The code at each address, as it is created, moved and deleted.  The ranges
 * are in a tree of tsearch(3): a tick has addresses inside of ranges, which a
 * hash cannot find.
 */

struct codemap_range {
	uint64_t start, last;
	uint32_t code;
};

/* All zero is an empty map; release with codemap_free(). */
struct codemap {
	void *root;
};

/* Ranges that overlap compare equal, so a search finds an overlapping one. */
static int
compare(const void *a, const void *b)
{
	const struct codemap_range *x = a, *y = b;

	return x->last < y->start ? -1 : x->start > y->last;
}

static struct codemap_range *
overlap(const struct codemap *m, const struct codemap_range *range)
{
	struct codemap_range **found = tfind(range, &m->root, compare);

	return found == NULL ? NULL : *found;
}

static struct codemap_range *
remove_range(struct codemap *m, uint64_t start)
{
	struct codemap_range key = { start, start, 0 };
	struct codemap_range *found = overlap(m, &key);

	if (found == NULL || found->start != start)
		return NULL;
	tdelete(found, &m->root, compare);
	return found;
}

static void
insert(struct codemap *m, struct codemap_range *range)
{
	struct codemap_range *old;

	while ((old = overlap(m, range)) != NULL) {
		tdelete(old, &m->root, compare);
		free(old);
	}
	if (tsearch(range, &m->root, compare) == NULL)
		mem_alloc(SIZE_MAX); /* ends the program */
}

static void
codemap_free(struct codemap *m)
{
	tdestroy(m->root, free);
	m->root = NULL;
}

static uint64_t
last_of(uint64_t start, uint64_t size)
{
	return size > UINT64_MAX - start ? UINT64_MAX : start + size - 1;
}

/* Add code of size bytes, in place of all that it overlaps. */
static void
codemap_add(struct codemap *m, uint64_t start, uint64_t size, uint32_t code)
{
	struct codemap_range *range = mem_alloc(sizeof(*range));

	*range = (struct codemap_range){ start,
					 last_of(start, size > 0 ? size : 1),
					 code };
	insert(m, range);
}

/* Move the code that starts at an address; false if there is none. */
static bool
codemap_move(struct codemap *m, uint64_t from, uint64_t to)
{
	struct codemap_range *range = remove_range(m, from);

	if (range == NULL)
		return false;
	range->last = last_of(to, range->last - range->start + 1);
	range->start = to;
	insert(m, range);
	return true;
}

static bool
codemap_remove(struct codemap *m, uint64_t start)
{
	struct codemap_range *range = remove_range(m, start);

	free(range);
	return range != NULL;
}

/* The code at an address; false if there is none. */
static bool
codemap_find(const struct codemap *m, uint64_t address, uint32_t *code)
{
	struct codemap_range key = { address, address, 0 };
	const struct codemap_range *found = overlap(m, &key);

	if (found != NULL)
		*code = found->code;
	return found != NULL;
}

struct v8log {
	struct input *in;
	struct sink *out;
	const struct v8log_options *opt;
	struct codemap code, libraries;
	uint64_t interval; /* us */
	uint64_t losses;   /* ticks before which others were lost */
	uint32_t unknown;
	struct buf name;
	uint32_t *stack;
	size_t depth, stack_cap;
};

/* Append a character as UTF-8. */
static void
append_char(struct buf *out, uint32_t c)
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

/* The length of the escape \xHH or \uHHHH at the start of s, or 0. */
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
 * Append escapes from \x80 on.  They are the UTF-8 of a path of the system, or
 * else characters up to U+00FF.  Returns the rest of s.
 */
static struct str
append_bytes(struct buf *out, struct str s)
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
		append_char(out, (uint32_t)c);
	}
	return rest;
}

/* Append a unit of UTF-16, or a pair that is one character. */
static struct str
append_utf16(struct buf *out, struct str s)
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
	append_char(out, (uint32_t)c);
	return s;
}

/* Append a field of the log, with its escapes \xHH, \uHHHH, \n and \\. */
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
			s = append_bytes(out, s);
		} else if (escape_length(s, 'u', &c) > 0) {
			s = append_utf16(out, s);
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
 * How code was compiled.  An 'o' before the mark means that it was entered in
 * the middle of a loop.  The first code of WebAssembly has no mark, nor have
 * functions that V8 interprets and will never optimise.
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

/* "f /a.js:1:2"; "f :1:2" of code without a file is "f:1:2", as in profiles. */
static void
add_function(struct v8log *l, struct str name)
{
	const char *blank = memrchr(name.p, ' ', name.len);

	if (blank == NULL || blank + 1 == name.p + name.len ||
	    blank[1] != ':') {
		unescape(&l->name, name);
		return;
	}
	unescape(&l->name, str_range(name.p, blank));
	unescape(&l->name, str_range(blank + 1, name.p + name.len));
}

/*
 * The token of new code.  JavaScript has the name of a function, followed by an
 * address and a mark.  All other code is named by its type, too.
 */
static uint32_t
code_token(struct v8log *l, struct str type, struct str name, struct str rest)
{
	struct str function = str_cut(&rest, ','), mark = str_cut(&rest, ',');
	struct frame frame = { .whole = true };

	l->name.len = 0;
	if (function.len == 0) {
		buf_str(&l->name, type);
		buf_str(&l->name, STR(": "));
		unescape(&l->name, name);
	} else {
		frame.kind = code_tier(name, mark);
		if (l->opt->tiers)
			buf_str(&l->name, mark);
		if (str_starts(name, STR(" ")) || name.len == 0)
			buf_str(&l->name, STR("(anonymous)"));
		add_function(l, name);
	}
	frame.name = buf_slice(&l->name);
	return sink_token(l->out, &frame, 0);
}

/* code-creation,TYPE,kind,time,address,size,name[,function,mark] */
static bool
create_code(struct v8log *l, struct str rest)
{
	struct str type = str_cut(&rest, ','), name;
	uint64_t address, size;

	str_cut(&rest, ',');
	str_cut(&rest, ',');
	if (!parse_address(str_cut(&rest, ','), &address) ||
	    !str_u64(str_cut(&rest, ','), &size))
		return false;
	name = str_cut(&rest, ',');
	codemap_add(&l->code, address, size, code_token(l, type, name, rest));
	return true;
}

/* shared-library,path,start,end,slide */
static bool
map_library(struct v8log *l, struct str rest)
{
	struct frame frame = { 0 };
	struct str path = str_cut(&rest, ',');
	uint64_t start, end;

	if (!parse_address(str_cut(&rest, ','), &start) ||
	    !parse_address(str_cut(&rest, ','), &end) || end < start)
		return false;
	l->name.len = 0;
	unescape(&l->name, path);
	frame.module = buf_slice(&l->name);
	codemap_add(&l->libraries, start, end - start,
		    sink_token(l->out, &frame, 0));
	return true;
}

/* code-move,from,to and code-delete,address; the code may be unknown */
static bool
move_code(struct v8log *l, struct str rest)
{
	uint64_t from, to;

	if (!parse_address(str_cut(&rest, ','), &from) ||
	    !parse_address(str_cut(&rest, ','), &to))
		return false;
	codemap_move(&l->code, from, to);
	return true;
}

static bool
delete_code(struct v8log *l, struct str rest)
{
	uint64_t address;

	if (!parse_address(str_cut(&rest, ','), &address))
		return false;
	codemap_remove(&l->code, address);
	return true;
}

static void
push_address(struct v8log *l, uint64_t address)
{
	uint32_t token = l->unknown;

	/* Builtins of V8 are part of its library. */
	if (!codemap_find(&l->code, address, &token))
		codemap_find(&l->libraries, address, &token);
	l->stack = mem_grow(l->stack, &l->stack_cap, l->depth + 1,
			    sizeof(*l->stack));
	l->stack[l->depth++] = token;
}

/* A stack, leaf first: addresses, or offsets from the previous address. */
static bool
read_stack(struct v8log *l, uint64_t pc, struct str rest)
{
	uint64_t address = pc, n;
	struct str field;

	while (rest.len > 0) {
		field = str_cut(&rest, ',');
		/* V8 lost ticks before this one, which is complete. */
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
push_state(struct v8log *l, uint64_t state)
{
	static const char *const names[] = {
		"[JS]",       "[GC]",     "[PARSER]",   "[BYTECODE_COMPILER]",
		"[COMPILER]", "[OTHER]",  "[EXTERNAL]", "[ATOMICS_WAIT]",
		"[IDLE]",     "[LOGGING]"
	};
	struct frame frame = { .whole = true };

	if (!l->opt->state)
		return;
	frame.name = state < sizeof(names) / sizeof(*names) ?
			 str_of(names[state]) :
			 STR("[state]");
	sink_frame(l->out, &frame);
}

/* tick,pc,time,in a callback,its address or the stack top,state,stack... */
static bool
read_tick(struct v8log *l, struct str rest)
{
	struct sample sample = SAMPLE_UNKNOWN;
	uint64_t pc, us, external, top, state;

	if (!parse_address(str_cut(&rest, ','), &pc))
		return false;
	sample.has_time = str_u64(str_cut(&rest, ','), &us) &&
			  !__builtin_mul_overflow(us, 1000, &sample.time);
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
read_event(struct v8log *l, struct str event, struct str rest)
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
	return true; /* an event that is not needed */
}

static void
note_losses(struct v8log *l)
{
	if (l->losses == 0)
		return;
	l->name.len = 0;
	buf_printf(&l->name,
		   "V8 lost ticks before %" PRIu64
		   " tick%s, because its buffer was full",
		   l->losses, str_plural(l->losses, "", "s"));
	sink_note(l->out, buf_slice(&l->name));
}

void
v8log_read(struct input *in, struct sink *out, const struct v8log_options *opt)
{
	struct v8log l = { .in = in, .out = out, .opt = opt };
	struct str line, event;

	l.unknown = sink_token(out, &(struct frame){ 0 }, 0);
	while (input_line(in, &line)) {
		line = str_without_cr(line);
		event = str_cut(&line, ',');
		if (!read_event(&l, event, line))
			input_bad(in, "a malformed %.*s record", (int)event.len,
				  event.p);
	}
	note_losses(&l);
	codemap_free(&l.code);
	codemap_free(&l.libraries);
	free(l.stack);
	buf_free(&l.name);
}
