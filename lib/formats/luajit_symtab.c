/* luajit_symtab.c - the symbol table in profiles of Tarantool's LuaJIT. */
#include "formats/luajit_symtab.h"

#include "base/arena.h"
#include "base/intern.h"
#include "base/table.h"
#include "base/u64map.h"
#include "codec/proto.h"

#include <err.h>
#include <inttypes.h>
#include <search.h>

enum { TABLE_VERSION = 3, MAGIC = 7, END = 0x80 };

/* Bytes to ask the input for: most records are much shorter. */
#define WINDOW ((size_t)1 << 16)

/* A prototype of Lua, and the token of its last frame. */
struct luajit_function {
	uint64_t address;
	struct str chunk;
	uint64_t line;
	uint32_t token;
	bool has_token;
	UT_hash_handle hh;
};

/* A function of C.  The last symbol at an address counts. */
struct luajit_symbol {
	uint64_t address;
	struct str name;
};

/* A search for the last symbol that is not above an address. */
struct symbol_search {
	uint64_t address;
	const struct luajit_symbol **nearest;
};

/* A trace, the function and line where it starts, and the token of its frame.
 */
struct luajit_trace {
	uint64_t number, function, line;
	uint32_t token;
	uint64_t nfunctions; /* when the token was made; 0 if it was not */
	UT_hash_handle hh;
};

struct luajit_symtab {
	struct sink *out;
	struct arena arena; /* names, functions and traces */
	struct buf text;    /* scratch */

	struct luajit_function *functions; /* by address */
	uint64_t nfunctions;               /* calls of add_function() */
	struct luajit_trace *traces;       /* by number */
	struct intern *nameless;           /* chunks that are source text */

	void *symbols; /* in order of addresses: a tree of tsearch(3) */
	struct u64map c_tokens; /* by address, valid until the next symbol */
};

struct luajit_symtab *
luajit_symtab_new(struct sink *out)
{
	struct luajit_symtab *s = mem_zero(1, sizeof(*s));

	s->out = out;
	s->nameless = intern_new();
	return s;
}

void
luajit_symtab_free(struct luajit_symtab *s)
{
	HASH_CLEAR(hh, s->functions);
	HASH_CLEAR(hh, s->traces);
	arena_free(&s->arena);
	buf_free(&s->text);
	intern_free(s->nameless);
	tdestroy(s->symbols, free);
	u64map_free(&s->c_tokens);
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

/*
 * A chunk may have its whole text as name: number it instead, from 1 as
 * LuaJIT's own parser does.
 */
static struct str
chunk_name(struct luajit_symtab *s, struct str chunk)
{
	if (str_find(chunk, '\n') == NULL)
		return arena_str(&s->arena, chunk);
	s->text.len = 0;
	buf_printf(&s->text, "function_alias_%" PRIu32,
		   intern_id(s->nameless, chunk) + 1);
	return arena_str(&s->arena, buf_slice(&s->text));
}

static bool
add_function(struct luajit_symtab *s, struct str *rest)
{
	struct luajit_function *f;
	uint64_t address, line;
	struct str chunk;

	if (!proto_varint(rest, &address) || !cut_string(rest, &chunk) ||
	    !proto_varint(rest, &line))
		return false;
	HASH_FIND(hh, s->functions, &address, sizeof(address), f);
	if (f == NULL) {
		f = arena_alloc(&s->arena, sizeof(*f));
		f->address = address;
		HASH_ADD(hh, s->functions, address, sizeof(address), f);
	}
	f->chunk = chunk_name(s, chunk);
	f->has_token = false;
	s->nfunctions++;
	return true;
}

static int
by_address(const void *x, const void *y)
{
	const struct luajit_symbol *a = x, *b = y;

	return a->address < b->address ? -1 : a->address > b->address;
}

static bool
add_symbol(struct luajit_symtab *s, struct str *rest)
{
	struct luajit_symbol symbol, *new, **there;

	if (!proto_varint(rest, &symbol.address) ||
	    !cut_string(rest, &symbol.name))
		return false;
	symbol.name = arena_str(&s->arena, symbol.name);
	new = mem_alloc(sizeof(*new));
	*new = symbol;
	there = tsearch(new, &s->symbols, by_address);
	if (there == NULL)
		err(2, NULL);
	if (*there != new) {
		**there = symbol;
		free(new);
	}
	u64map_free(&s->c_tokens);
	return true;
}

static int
compare_address(const void *x, const void *y)
{
	const struct symbol_search *d = x;
	const struct luajit_symbol *s = y;

	if (s->address <= d->address)
		*d->nearest = s;
	return d->address < s->address ? -1 : d->address > s->address;
}

/* The symbol of an address: the last one before it, as sizes are unknown. */
static const struct luajit_symbol *
find_symbol(const struct luajit_symtab *s, uint64_t address)
{
	const struct luajit_symbol *nearest = NULL;
	struct symbol_search d = { address, &nearest };

	tfind(&d, &s->symbols, compare_address);
	return nearest;
}

static bool
add_trace(struct luajit_symtab *s, struct str *rest)
{
	uint64_t number, function, line;
	struct luajit_trace *trace;

	if (!proto_varint(rest, &number) || !proto_varint(rest, &function) ||
	    !proto_varint(rest, &line))
		return false;
	HASH_FIND(hh, s->traces, &number, sizeof(number), trace);
	if (trace == NULL) {
		trace = arena_alloc(&s->arena, sizeof(*trace));
		trace->number = number;
		HASH_ADD(hh, s->traces, number, sizeof(number), trace);
	}
	trace->function = function;
	trace->line = line;
	trace->nfunctions = 0;
	return true;
}

bool
luajit_symtab_add(struct luajit_symtab *s, enum luajit_symtab_type type,
		  struct str *rest)
{
	switch (type) {
	case LUAJIT_SYMTAB_LFUNC:
		return add_function(s, rest);
	case LUAJIT_SYMTAB_CFUNC:
		return add_symbol(s, rest);
	case LUAJIT_SYMTAB_TRACE:
		return add_trace(s, rest);
	}
	return false;
}

/*
 * Read "lj", a letter, the version and three bytes.  Returns what is wrong, or
 * NULL.
 */
static const char *
read_magic(struct luajit_symtab *s, struct input *in, char letter, int version)
{
	const char magic[] = { 'l', 'j', letter };
	struct str bytes = input_bytes(in, MAGIC);

	if (bytes.len < MAGIC || memcmp(bytes.p, magic, sizeof(magic)) != 0)
		return letter == 's' ? "not a profile of Tarantool's LuaJIT" :
				       "not a profile, or another kind";
	if (bytes.p[3] != version) {
		s->text.len = 0;
		buf_printf(&s->text,
			   "version %d of the format lj%c is not supported: "
			   "only %d is",
			   (unsigned char)bytes.p[3], letter, version);
		buf_char(&s->text, '\0');
		return s->text.p;
	}
	input_take(in, MAGIC);
	return NULL;
}

enum status { RECORD, LAST, MALFORMED, CUT };

/* Read a record.  One that the window cuts is tried again with more bytes. */
static enum status
read_record(struct input *in, bool (*record)(void *, int, struct str *),
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
	return head <= LUAJIT_SYMTAB_TRACE &&
	       luajit_symtab_add(arg, (enum luajit_symtab_type)head, rest);
}

static const char *
read_symbols(struct luajit_symtab *s, struct input *in)
{
	const char *wrong = read_magic(s, in, 's', TABLE_VERSION);
	enum status status = RECORD;

	while (wrong == NULL && status == RECORD)
		status = read_record(in, read_symbol, s);
	if (wrong == NULL && status != LAST)
		wrong = "the symbol table is malformed or truncated";
	return wrong;
}

const char *
luajit_symtab_read(struct luajit_symtab *s, struct input *in, char letter,
		   int version, bool (*record)(void *, int, struct str *),
		   void *arg)
{
	const char *wrong = read_symbols(s, in);
	enum status status = RECORD;

	if (wrong == NULL)
		wrong = read_magic(s, in, letter, version);
	while (wrong == NULL && status == RECORD) {
		in->line++;
		status = read_record(in, record, arg);
	}
	if (wrong == NULL && status == MALFORMED)
		return "a malformed record; skipping the rest";
	if (wrong == NULL && status == CUT)
		return "the file is truncated";
	return wrong;
}

uint32_t
luajit_symtab_name(struct luajit_symtab *s, struct str name,
		   enum frame_kind kind)
{
	return sink_token(
	    s->out,
	    &(struct frame){ .name = name, .whole = true, .kind = kind }, 0);
}

uint32_t
luajit_symtab_lua(struct luajit_symtab *s, uint64_t address, uint64_t line)
{
	struct luajit_function *f;

	HASH_FIND(hh, s->functions, &address, sizeof(address), f);
	if (f == NULL)
		return luajit_symtab_name(s, STR("[Lua]"), FRAME_INTERP);
	if (!f->has_token || f->line != line) {
		s->text.len = 0;
		buf_str(&s->text, f->chunk);
		buf_char(&s->text, ':');
		buf_u64(&s->text, line);
		f->token = luajit_symtab_name(s, buf_slice(&s->text),
					      FRAME_INTERP);
		f->has_token = true;
		f->line = line;
	}
	return f->token;
}

uint32_t
luajit_symtab_c(struct luajit_symtab *s, uint64_t address)
{
	struct frame frame = { .addr = address, .has_addr = true };
	const struct luajit_symbol *symbol;
	uint32_t token;

	if (u64map_get(&s->c_tokens, address, &token))
		return token;
	symbol = find_symbol(s, address);
	if (symbol != NULL)
		frame.name = symbol->name;
	token = sink_token(s->out, &frame, 0);
	u64map_put(&s->c_tokens, address, token);
	return token;
}

static uint32_t
trace_token(struct luajit_symtab *s, uint64_t number,
	    const struct luajit_trace *trace)
{
	const struct luajit_function *f = NULL;

	s->text.len = 0;
	buf_printf(&s->text, "TRACE [%" PRIu64 "]", number);
	if (trace != NULL)
		HASH_FIND(hh, s->functions, &trace->function,
			  sizeof(trace->function), f);
	if (f != NULL) {
		buf_str(&s->text, STR(" started at "));
		buf_str(&s->text, f->chunk);
		buf_char(&s->text, ':');
		buf_u64(&s->text, trace->line);
	}
	return luajit_symtab_name(s, buf_slice(&s->text), FRAME_JIT);
}

uint32_t
luajit_symtab_trace(struct luajit_symtab *s, uint64_t number)
{
	struct luajit_trace *trace;

	HASH_FIND(hh, s->traces, &number, sizeof(number), trace);
	if (trace == NULL || s->nfunctions == 0)
		return trace_token(s, number, trace);
	if (trace->nfunctions != s->nfunctions) {
		trace->token = trace_token(s, number, trace);
		trace->nfunctions = s->nfunctions;
	}
	return trace->token;
}
