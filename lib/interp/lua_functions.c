/* lua_functions.c - functions and lines of Lua. */
#include "interp/lua_functions.h"

#include "base/peek.h"
#include "base/table.h"
#include "interp/interp_binary.h"

/* Limits of what is read of one object; more is cut off. */
enum { TEXT_BYTES = 1024, INSTRUCTIONS = 65536 };

/* A program that compiles code in a loop would fill the cache. */
enum { MAX_RECORDS = 65536 };

/* What tells functions apart that were at the same address. */
struct lua_identity {
	uint64_t address, code, lines, absolute, source;
	uint32_t size, line;
};

struct lua_record {
	struct lua_identity id;
	uint64_t number;
	bool named;
	uint32_t function;
	uint32_t *line; /* of each instruction; NULL: there are none */
	UT_hash_handle hh;
};

struct lua_functions {
	const struct lua_layout *l;
	struct lua_record *table;
	struct lua_record **record; /* by number, from first on */
	size_t n, cap;
	uint64_t first;
	struct interp_copy copy;
	struct buf name, file, raw; /* scratch */
};

struct lua_functions *
lua_functions_new(const struct lua_layout *l)
{
	struct lua_functions *all = mem_zero(1, sizeof(*all));

	all->l = l;
	return all;
}

static void
clear(struct lua_functions *all)
{
	struct lua_record *r, *next;

	HASH_ITER(hh, all->table, r, next)
	{
		HASH_DEL(all->table, r);
		free(r->line);
		free(r);
	}
	all->first += all->n;
	all->n = 0;
}

void
lua_functions_free(struct lua_functions *all)
{
	if (all == NULL)
		return;
	clear(all);
	free(all->record);
	interp_copy_free(&all->copy);
	buf_free(&all->name);
	buf_free(&all->file);
	buf_free(&all->raw);
	free(all);
}

/* Finding, while the thread does not run. */

static struct lua_record *
find_record(struct lua_functions *all, const struct lua_identity *id)
{
	struct lua_record *r;

	HASH_FIND(hh, all->table, id, sizeof(*id), r);
	if (r != NULL)
		return r;
	if (all->n >= MAX_RECORDS)
		clear(all);
	r = mem_zero(1, sizeof(*r));
	r->id = *id;
	r->number = all->first + all->n;
	all->record = mem_grow(all->record, &all->cap, all->n + 1,
			       sizeof(*all->record));
	all->record[all->n++] = r;
	HASH_ADD(hh, all->table, id, sizeof(r->id), r);
	return r;
}

bool
lua_functions_find(struct lua_functions *all, struct interp_copy *copy,
		   uint64_t address, uint64_t *number)
{
	const struct lua_layout *l = all->l;
	struct lua_identity id = { .address = address };
	char bytes[UINT8_MAX];

	if (address % 8 != 0 || !interp_copy_get(copy, address, bytes,
						 l->proto_size, l->proto_size))
		return false;
	id.code = peek_u64(bytes, l->code);
	id.lines = peek_u64(bytes, l->lines);
	if (l->absolute != 0)
		id.absolute = peek_u64(bytes, l->absolute);
	id.source = peek_u64(bytes, l->source);
	id.size = peek_u32(bytes, l->size);
	id.line = peek_u32(bytes, l->line);
	*number = find_record(all, &id)->number;
	return true;
}

/* Naming, later. */

/*
 * Read the name of a chunk: "@" and a file, "=" and another name, or its text,
 * of which the first line is taken.
 */
static void
read_source(struct lua_functions *all, uint64_t address, struct buf *text)
{
	const size_t piece = 64;
	const char *end = NULL;
	size_t n;

	text->len = 0;
	for (n = 0; n < TEXT_BYTES && end == NULL; n += piece) {
		buf_reserve(text, piece + 1);
		if (!interp_copy_read(&all->copy, address + LUA_STRING_TEXT + n,
				      text->p + n, piece))
			break;
		text->len += piece;
		end = memchr(text->p, '\0', text->len);
	}
	if (end != NULL)
		text->len = (size_t)(end - text->p);
	end = text->len == 0 ? NULL : memchr(text->p, '\n', text->len);
	if (end != NULL)
		text->len = (size_t)(end - text->p);
}

/* Read the lines of 5.2 and 5.3, an int of each instruction. */
static void
read_lines(struct lua_functions *all, struct lua_record *r, size_t n)
{
	if (!interp_copy_read(&all->copy, r->id.lines, r->line,
			      n * sizeof(*r->line)))
		memset(r->line, 0, n * sizeof(*r->line));
}

/*
 * Read the lines of 5.4: of each instruction the difference from the one before
 * it, or -128 where another table has a pair of an instruction and its line.
 */
static void
read_differences(struct lua_functions *all, struct lua_record *r, size_t n)
{
	enum { ABSOLUTE = -128 };
	uint32_t pair[2];
	int64_t line = r->id.line;
	uint64_t next = r->id.absolute;
	size_t i;

	all->raw.len = 0;
	buf_reserve(&all->raw, n);
	memset(r->line, 0, n * sizeof(*r->line));
	if (!interp_copy_read(&all->copy, r->id.lines, all->raw.p, n))
		return;
	for (i = 0; i < n; i++) {
		if ((signed char)all->raw.p[i] != ABSOLUTE) {
			line += (signed char)all->raw.p[i];
		} else {
			if (!interp_copy_read(&all->copy, next, pair,
					      sizeof(pair)))
				return;
			line = pair[1];
			next += sizeof(pair);
		}
		r->line[i] = (uint32_t)line;
	}
}

static void
read_names(struct lua_functions *all, struct interp_functions *functions,
	   struct lua_record *r)
{
	const size_t n = r->id.size;
	struct str file;

	read_source(all, r->id.source, &all->file);
	file = buf_slice(&all->file);
	if (file.len > 0 && (*file.p == '@' || *file.p == '='))
		file = str_skip(file, 1);
	all->name.len = 0;
	if (file.len > 0) {
		buf_str(&all->name, interp_binary_name(file));
		buf_char(&all->name, ':');
		buf_u64(&all->name, r->id.line);
	}
	r->function = interp_functions_add(functions, STR("lua"),
					   buf_slice(&all->name), file);
	r->named = true;
	if (r->id.lines == 0 || n == 0 || n > INSTRUCTIONS)
		return;
	r->line = mem_alloc(n * sizeof(*r->line));
	if (all->l->absolute == 0)
		read_lines(all, r, n);
	else
		read_differences(all, r, n);
}

static uint32_t
find_line(const struct lua_record *r, uint64_t ip)
{
	const uint64_t i = (ip - r->id.code) / LUA_INSTRUCTION;

	return r->line == NULL || i == 0 || i > r->id.size ? 0 : r->line[i - 1];
}

void
lua_functions_name(struct lua_functions *all,
		   const struct interp_reader *reader,
		   struct interp_functions *functions, struct interp_stack *s)
{
	struct interp_vm_frame *f;
	struct lua_record *r;
	size_t i;

	interp_copy_begin(&all->copy, reader, NULL, NULL, NULL, 0);
	for (i = 0; i < s->n; i++) {
		f = &s->frame[i];
		f->line = 0;
		if (f->code - all->first >= all->n) {
			f->function = interp_functions_add(
			    functions, STR("lua"), STR(""), STR(""));
			continue;
		}
		r = all->record[f->code - all->first];
		if (!r->named)
			read_names(all, functions, r);
		f->function = r->function;
		f->line = find_line(r, (uint64_t)f->ip);
	}
}
