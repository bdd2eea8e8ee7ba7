/* ljsym.c - the symbol table in profiles of Tarantool's LuaJIT. */
#include "ljsym.h"

#include "arena.h"
#include "intern.h"
#include "map.h"
#include "mem.h"
#include "proto.h"

#include <inttypes.h>
#include <stdlib.h>

enum { TABLE_VERSION = 3, MAGIC = 7, END = 0x80 };

/* Bytes at hand: most records are much shorter. */
#define WINDOW ((size_t)1 << 16)

/* A prototype of Lua; the frame that was last asked for is at hand. */
struct function {
	struct str chunk;
	uint64_t line;
	uint32_t token;
	bool has_token;
};

struct symbol {
	uint64_t address;
	struct str name;
	size_t order; /* of two at an address the later one counts */
};

struct trace {
	uint64_t function, line;
};

struct ljsym {
	struct sink *out;
	struct arena names;
	struct buf text;

	struct map functions; /* by address */
	struct function *function;
	size_t nfunctions, function_cap;
	struct intern *nameless; /* chunks that are source text */

	struct symbol *symbol; /* sorted, once the table is read */
	size_t nsymbols, symbol_cap;
	struct map c_tokens; /* of addresses, until a symbol comes */

	struct map traces; /* by number */
	struct trace *trace;
	size_t ntraces, trace_cap;
};

struct ljsym *
ljsym_new(struct sink *out)
{
	struct ljsym *s = mem_zero(1, sizeof(*s));

	s->out = out;
	s->nameless = intern_new();
	return s;
}

void
ljsym_free(struct ljsym *s)
{
	arena_free(&s->names);
	buf_free(&s->text);
	map_free(&s->functions);
	free(s->function);
	intern_free(s->nameless);
	free(s->symbol);
	map_free(&s->c_tokens);
	map_free(&s->traces);
	free(s->trace);
	free(s);
}

static bool
cut_string(struct str *rest, struct str *string)
{
	uint64_t n;

	if (!proto_varint(rest, &n) || n > rest->len)
		return false;
	*string = (struct str){ rest->p, (size_t)n };
	*rest = str_skip(*rest, (size_t)n);
	return true;
}

/* A chunk may be named after all its text: then it has a number instead. */
static struct str
chunk_name(struct ljsym *s, struct str chunk)
{
	if (str_find(chunk, '\n') == NULL)
		return arena_str(&s->names, chunk);
	s->text.len = 0;
	buf_printf(&s->text, "function_alias_%" PRIu32,
		   intern_id(s->nameless, chunk));
	return arena_str(&s->names, buf_slice(&s->text));
}

static bool
add_function(struct ljsym *s, struct str *rest)
{
	uint64_t address, line;
	struct str chunk;

	if (!proto_varint(rest, &address) || !cut_string(rest, &chunk) ||
	    !proto_varint(rest, &line))
		return false;
	s->function = mem_grow(s->function, &s->function_cap, s->nfunctions + 1,
			       sizeof(*s->function));
	map_put(&s->functions, address, (uint32_t)s->nfunctions);
	s->function[s->nfunctions++] = (struct function){ .chunk = chunk_name(
							      s, chunk) };
	return true;
}

/* How many symbols are not above an address. */
static size_t
symbols_up_to(const struct ljsym *s, uint64_t address)
{
	size_t low = 0, high = s->nsymbols, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (s->symbol[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool
append_symbol(struct ljsym *s, struct str *rest)
{
	struct symbol symbol = { .order = s->nsymbols };

	if (!proto_varint(rest, &symbol.address) ||
	    !cut_string(rest, &symbol.name))
		return false;
	symbol.name = arena_str(&s->names, symbol.name);
	s->symbol = mem_grow(s->symbol, &s->symbol_cap, s->nsymbols + 1,
			     sizeof(symbol));
	s->symbol[s->nsymbols++] = symbol;
	return true;
}

static bool
add_symbol(struct ljsym *s, struct str *rest)
{
	struct symbol symbol;
	size_t at;

	if (!append_symbol(s, rest))
		return false;
	symbol = s->symbol[--s->nsymbols];
	at = symbols_up_to(s, symbol.address);
	memmove(s->symbol + at + 1, s->symbol + at,
		(s->nsymbols - at) * sizeof(symbol));
	s->symbol[at] = symbol;
	s->nsymbols++;
	map_free(&s->c_tokens);
	return true;
}

static bool
add_trace(struct ljsym *s, struct str *rest)
{
	uint64_t number;
	struct trace trace;

	if (!proto_varint(rest, &number) ||
	    !proto_varint(rest, &trace.function) ||
	    !proto_varint(rest, &trace.line))
		return false;
	s->trace = mem_grow(s->trace, &s->trace_cap, s->ntraces + 1,
			    sizeof(trace));
	map_put(&s->traces, number, (uint32_t)s->ntraces);
	s->trace[s->ntraces++] = trace;
	return true;
}

bool
ljsym_add(struct ljsym *s, enum ljsym_type type, struct str *rest)
{
	switch (type) {
	case LJSYM_LFUNC:
		return add_function(s, rest);
	case LJSYM_CFUNC:
		return add_symbol(s, rest);
	case LJSYM_TRACE:
		return add_trace(s, rest);
	}
	return false;
}

static int
by_address(const void *x, const void *y)
{
	const struct symbol *a = x, *b = y;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

/* Take "lj", a letter, the version and three bytes; says what is wrong. */
static const char *
take_magic(struct ljsym *s, struct input *in, char letter, int version)
{
	const char magic[] = { 'l', 'j', letter };
	struct str bytes = input_bytes(in, MAGIC);

	if (bytes.len < MAGIC || memcmp(bytes.p, magic, sizeof(magic)) != 0)
		return letter == 's' ? "not a profile of Tarantool's LuaJIT" :
				       "a profile of another kind, or none";
	if (bytes.p[3] != version) {
		s->text.len = 0;
		buf_printf(&s->text,
			   "version %d of the format lj%c; only %d is known",
			   (unsigned char)bytes.p[3], letter, version);
		buf_char(&s->text, '\0');
		return s->text.p;
	}
	input_take(in, MAGIC);
	return NULL;
}

enum status { RECORD, LAST, MALFORMED, CUT };

/* What is cut by the end of what is at hand is tried again with more. */
static enum status
take_record(struct input *in, bool (*record)(void *, int, struct str *),
	    void *arg)
{
	size_t want = WINDOW;
	struct str all, rest;
	int head;

	for (;; want = 2 * all.len) {
		all = input_bytes(in, want);
		if (all.len == 0)
			return CUT;
		head = (unsigned char)*all.p;
		rest = str_skip(all, 1);
		if ((head & END) != 0) {
			input_take(in, 1);
			return LAST;
		}
		if (record(arg, head, &rest)) {
			input_take(in, all.len - rest.len);
			return RECORD;
		}
		if (all.len < want)
			return MALFORMED;
	}
}

/* The table is sorted when it is whole. */
static bool
read_symbol(void *arg, int head, struct str *rest)
{
	struct ljsym *s = arg;

	return head == LJSYM_CFUNC ?
		   append_symbol(s, rest) :
		   head <= LJSYM_TRACE &&
		       ljsym_add(s, (enum ljsym_type)head, rest);
}

static const char *
read_table(struct ljsym *s, struct input *in)
{
	const char *wrong = take_magic(s, in, 's', TABLE_VERSION);
	enum status status = RECORD;

	while (wrong == NULL && status == RECORD)
		status = take_record(in, read_symbol, s);
	if (wrong == NULL && status != LAST)
		wrong = "the table of symbols is malformed, or cut short";
	if (s->nsymbols > 0)
		qsort(s->symbol, s->nsymbols, sizeof(*s->symbol), by_address);
	return wrong;
}

const char *
ljsym_read(struct ljsym *s, struct input *in, char letter, int version,
	   bool (*record)(void *, int, struct str *), void *arg)
{
	const char *wrong = read_table(s, in);
	enum status status = RECORD;

	if (wrong == NULL)
		wrong = take_magic(s, in, letter, version);
	while (wrong == NULL && status == RECORD) {
		in->line++;
		status = take_record(in, record, arg);
	}
	if (wrong == NULL && status == MALFORMED)
		return "a malformed record; the rest is left out";
	if (wrong == NULL && status == CUT)
		return "the file is cut short";
	return wrong;
}

uint32_t
ljsym_name(struct ljsym *s, struct str name, enum frame_kind kind)
{
	return sink_token(
	    s->out,
	    &(struct frame){ .name = name, .whole = true, .kind = kind }, 0);
}

uint32_t
ljsym_lua(struct ljsym *s, uint64_t address, uint64_t line)
{
	struct function *f;
	uint32_t i;

	if (!map_get(&s->functions, address, &i))
		return ljsym_name(s, STR("[Lua]"), FRAME_INTERP);
	f = &s->function[i];
	if (!f->has_token || f->line != line) {
		s->text.len = 0;
		buf_str(&s->text, f->chunk);
		buf_char(&s->text, ':');
		buf_u64(&s->text, line);
		f->token = ljsym_name(s, buf_slice(&s->text), FRAME_INTERP);
		f->has_token = true;
		f->line = line;
	}
	return f->token;
}

uint32_t
ljsym_c(struct ljsym *s, uint64_t address)
{
	struct frame frame = { .addr = address, .has_addr = true };
	uint32_t token;
	size_t n;

	if (map_get(&s->c_tokens, address, &token))
		return token;
	n = symbols_up_to(s, address);
	if (n > 0)
		frame.name = s->symbol[n - 1].name;
	token = sink_token(s->out, &frame, 0);
	map_put(&s->c_tokens, address, token);
	return token;
}

uint32_t
ljsym_trace(struct ljsym *s, uint64_t number)
{
	const struct trace *trace;
	uint32_t i, function;

	s->text.len = 0;
	buf_printf(&s->text, "TRACE [%" PRIu64 "]", number);
	if (map_get(&s->traces, number, &i)) {
		trace = &s->trace[i];
		if (map_get(&s->functions, trace->function, &function)) {
			buf_str(&s->text, STR(" started at "));
			buf_str(&s->text, s->function[function].chunk);
			buf_char(&s->text, ':');
			buf_u64(&s->text, trace->line);
		}
	}
	return ljsym_name(s, buf_slice(&s->text), FRAME_JIT);
}
