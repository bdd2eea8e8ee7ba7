/* ljsym.c - the symbol table in profiles of Tarantool's LuaJIT. */
#include "ljsym.h"

#include "arena.h"
#include "intern.h"
#include "map.h"
#include "mem.h"
#include "proto.h"

#include <err.h>
#include <inttypes.h>
#include <search.h>
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
	struct str name; /* of several at an address the last one */
};

/* The way down a tree of symbols: the nearest that is not above an address. */
struct descent {
	uint64_t address;
	const struct symbol **nearest;
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

	void *symbols;       /* by address, tsearch(3) */
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
	tdestroy(s->symbols, free);
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

static int
by_address(const void *x, const void *y)
{
	const struct symbol *a = x, *b = y;

	return a->address < b->address ? -1 : a->address > b->address;
}

static bool
add_symbol(struct ljsym *s, struct str *rest)
{
	struct symbol symbol, *new, **there;

	if (!proto_varint(rest, &symbol.address) ||
	    !cut_string(rest, &symbol.name))
		return false;
	symbol.name = arena_str(&s->names, symbol.name);
	new = mem_alloc(sizeof(*new));
	*new = symbol;
	there = tsearch(new, &s->symbols, by_address);
	if (there == NULL)
		err(2, NULL);
	if (*there != new) {
		**there = symbol;
		free(new);
	}
	map_free(&s->c_tokens);
	return true;
}

static int
descend(const void *x, const void *y)
{
	const struct descent *d = x;
	const struct symbol *s = y;

	if (s->address <= d->address)
		*d->nearest = s;
	return d->address < s->address ? -1 : d->address > s->address;
}

/* The symbol that an address is in, as far as can be told without sizes. */
static const struct symbol *
find_symbol(const struct ljsym *s, uint64_t address)
{
	const struct symbol *nearest = NULL;
	struct descent d = { address, &nearest };

	tfind(&d, &s->symbols, descend);
	return nearest;
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

static bool
read_symbol(void *arg, int head, struct str *rest)
{
	return head <= LJSYM_TRACE &&
	       ljsym_add(arg, (enum ljsym_type)head, rest);
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
	const struct symbol *symbol;
	uint32_t token;

	if (map_get(&s->c_tokens, address, &token))
		return token;
	symbol = find_symbol(s, address);
	if (symbol != NULL)
		frame.name = symbol->name;
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
