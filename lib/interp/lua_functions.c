/* lua_functions.c - functions and lines of Lua. */
#include "interp/lua_functions.h"

#include "base/mem.h"
#include "base/peek.h"
#include "interp/interp_records.h"
#include "interp/lua_names.h"

#include <stdlib.h>

/* The largest function whose lines are read, in instructions. */
enum { INSTRUCTIONS = 65536 };

/* Distinguishes functions that had the same address at different times. */
struct lua_identity {
	uint64_t address, code, lines, absolute, source;
	uint32_t size, line;
};

struct lua_functions {
	const struct lua_layout *l;
	struct interp_records *records;
	struct interp_copy copy;
	struct buf name, file, raw; /* scratch */
};

struct lua_functions *
lua_functions_new(const struct lua_layout *l)
{
	struct lua_functions *all = mem_zero(1, sizeof(*all));

	all->l = l;
	all->records = interp_records_new(sizeof(struct lua_identity));
	return all;
}

void
lua_functions_free(struct lua_functions *all)
{
	if (all == NULL)
		return;
	interp_records_free(all->records);
	interp_copy_free(&all->copy);
	buf_free(&all->name);
	buf_free(&all->file);
	buf_free(&all->raw);
	free(all);
}

/* Finding, while the thread does not run. */

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
	*number = interp_records_find(all->records, &id)->number;
	return true;
}

/* Naming, later. */

/* Read the lines of 5.1 to 5.3, an int of each instruction. */
static void
read_lines(struct lua_functions *all, const struct lua_identity *id,
	   struct interp_record *r, size_t n)
{
	if (!interp_copy_read(&all->copy, id->lines, r->line,
			      n * sizeof(*r->line)))
		memset(r->line, 0, n * sizeof(*r->line));
}

/*
 * Read the lines of 5.4: of each instruction the difference from the one before
 * it, or -128 where another table has a pair of an instruction and its line.
 */
static void
read_differences(struct lua_functions *all, const struct lua_identity *id,
		 struct interp_record *r, size_t n)
{
	enum { ABSOLUTE = -128 };
	uint32_t pair[2];
	int64_t line = id->line;
	uint64_t next = id->absolute;
	size_t i;

	all->raw.len = 0;
	buf_reserve(&all->raw, n);
	memset(r->line, 0, n * sizeof(*r->line));
	if (!interp_copy_read(&all->copy, id->lines, all->raw.p, n))
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
	   struct interp_record *r)
{
	const struct lua_identity *id = (const void *)r->identity;
	const size_t n = id->size;
	struct str file;

	file = lua_names_file(&all->copy, id->source + LUA_STRING_TEXT,
			      &all->file);
	all->name.len = 0;
	lua_names_function(file, id->line, &all->name);
	r->function = interp_functions_add(functions, STR("lua"),
					   buf_slice(&all->name), file);
	r->named = true;
	if (id->lines == 0 || n == 0 || n > INSTRUCTIONS)
		return;
	r->line = mem_alloc(n * sizeof(*r->line));
	if (all->l->absolute == 0)
		read_lines(all, id, r, n);
	else
		read_differences(all, id, r, n);
}

static uint32_t
find_line(const struct interp_record *r, uint64_t ip)
{
	const struct lua_identity *id = (const void *)r->identity;
	const uint64_t i = (ip - id->code) / LUA_INSTRUCTION;

	return r->line == NULL || i == 0 || i > id->size ? 0 : r->line[i - 1];
}

void
lua_functions_name(struct lua_functions *all,
		   const struct interp_reader *reader,
		   struct interp_functions *functions, struct interp_stack *s)
{
	struct interp_vm_frame *f;
	struct interp_record *r;
	size_t i;

	interp_copy_begin(&all->copy, reader, NULL, NULL, NULL, 0);
	for (i = 0; i < s->n; i++) {
		f = &s->frame[i];
		r = interp_records_get(all->records, functions, STR("lua"), f);
		if (r == NULL)
			continue;
		if (!r->named)
			read_names(all, functions, r);
		f->function = r->function;
		f->line = find_line(r, (uint64_t)f->ip);
	}
}
