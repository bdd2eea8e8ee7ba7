/* luajit_functions.c - functions and lines of LuaJIT. */
#include "interp/luajit_functions.h"

#include "base/mem.h"
#include "base/peek.h"
#include "interp/interp_records.h"
#include "interp/lua_names.h"
#include "interp/luajit_layout.h"

#include <stdlib.h>

/* The largest function whose lines are read, in instructions. */
enum { INSTRUCTIONS = 65536 };

/* Distinguishes functions that had the same address at different times. */
struct luajit_identity {
	uint64_t address, chunk, lines;
	uint32_t size, line, line_count, trace;
};

struct luajit_functions {
	struct interp_records *records;
	struct interp_copy copy;
	struct buf name, file, raw; /* scratch */
};

struct luajit_functions *
luajit_functions_new(void)
{
	struct luajit_functions *all = mem_zero(1, sizeof(*all));

	all->records = interp_records_new(sizeof(struct luajit_identity));
	return all;
}

void
luajit_functions_free(struct luajit_functions *all)
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
luajit_functions_find(struct luajit_functions *all, struct interp_copy *copy,
		      uint64_t address, uint32_t trace,
		      struct luajit_proto *proto)
{
	struct luajit_identity id = { .address = address, .trace = trace };
	char bytes[LUAJIT_PROTO_BYTES];

	if (address == 0 || address % 8 != 0 ||
	    !interp_copy_get(copy, address, bytes, sizeof(bytes),
			     sizeof(bytes)) ||
	    bytes[LUAJIT_TYPE] != LUAJIT_TYPE_PROTO)
		return false;
	id.chunk = peek_u64(bytes, LUAJIT_PROTO_CHUNK);
	id.lines = peek_u64(bytes, LUAJIT_PROTO_LINE_INFO);
	id.size = peek_u32(bytes, LUAJIT_PROTO_SIZE);
	id.line = peek_u32(bytes, LUAJIT_PROTO_LINE);
	id.line_count = peek_u32(bytes, LUAJIT_PROTO_LINES);
	proto->number = interp_records_find(all->records, &id)->number;
	proto->code = address + LUAJIT_PROTO_BYTES;
	proto->code_end = proto->code + (uint64_t)id.size * LUAJIT_INSTRUCTION;
	return true;
}

/* Naming, later. */

/*
 * Read the lines: of each instruction but the first, which is the function's
 * header, the difference from the function's line, in as few bytes as it takes.
 */
static void
read_lines(struct luajit_functions *all, const struct luajit_identity *id,
	   struct interp_record *r)
{
	const size_t n = id->size;
	const size_t width = id->line_count < 256   ? 1 :
			     id->line_count < 65536 ? 2 :
						      4;
	uint32_t difference;
	size_t i;

	if (id->lines == 0 || n < 2 || n > INSTRUCTIONS)
		return;
	all->raw.len = 0;
	buf_reserve(&all->raw, (n - 1) * width);
	if (!interp_copy_read(&all->copy, id->lines, all->raw.p,
			      (n - 1) * width))
		return;
	r->line = mem_alloc(n * sizeof(*r->line));
	r->line[0] = id->line;
	for (i = 1; i < n; i++) {
		difference = 0;
		memcpy(&difference, all->raw.p + (i - 1) * width, width);
		r->line[i] = id->line + difference;
	}
}

static void
read_names(struct luajit_functions *all, struct interp_functions *functions,
	   struct interp_record *r)
{
	const struct luajit_identity *id = (const void *)r->identity;
	struct str file;

	file = lua_names_file(&all->copy, id->chunk + LUAJIT_STRING_TEXT,
			      &all->file);
	all->name.len = 0;
	if (id->trace != 0)
		buf_printf(&all->name, "[trace %u]", id->trace);
	else
		lua_names_function(file, id->line, &all->name);
	r->function = interp_functions_add(functions, STR("lua"),
					   buf_slice(&all->name), file);
	r->named = true;
	read_lines(all, id, r);
}

static uint32_t
find_line(const struct interp_record *r, uint64_t ip)
{
	const struct luajit_identity *id = (const void *)r->identity;
	const uint64_t i = (ip - id->address - LUAJIT_PROTO_BYTES) /
			   LUAJIT_INSTRUCTION;

	return r->line == NULL || ip < id->address || i == 0 || i > id->size ?
		   0 :
		   r->line[i - 1];
}

void
luajit_functions_name(struct luajit_functions *all,
		      const struct interp_reader *reader,
		      struct interp_functions *functions,
		      struct interp_stack *s)
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
