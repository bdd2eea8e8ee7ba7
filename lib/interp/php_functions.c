/* php_functions.c - functions and lines of PHP. */
#include "interp/php_functions.h"

#include "base/mem.h"
#include "base/peek.h"
#include "interp/interp_records.h"

#include <stdlib.h>

/* Limits of what is read of one object; more is cut off. */
enum { TEXT_BYTES = 4096, OPCODES = 32768 };

/* Distinguishes functions that had the same address at different times. */
struct php_identity {
	uint64_t address, name, class, file, opcodes;
	uint32_t line, last;
	uint64_t handler; /* the code of an internal function, or 0 */
};

struct php_functions {
	const struct php_layout *l;
	struct interp_records *records;
	struct interp_copy copy;
	struct buf name, class, file, raw; /* scratch */
};

struct php_functions *
php_functions_new(const struct php_layout *l)
{
	struct php_functions *all = mem_zero(1, sizeof(*all));

	all->l = l;
	all->records = interp_records_new(sizeof(struct php_identity));
	return all;
}

void
php_functions_free(struct php_functions *all)
{
	if (all == NULL)
		return;
	interp_records_free(all->records);
	interp_copy_free(&all->copy);
	buf_free(&all->name);
	buf_free(&all->class);
	buf_free(&all->file);
	buf_free(&all->raw);
	free(all);
}

/* Finding, while the thread does not run. */

bool
php_functions_find(struct php_functions *all, struct interp_copy *copy,
		   uint64_t address, struct php_function *f)
{
	const struct php_layout *l = all->l;
	struct php_identity id = { .address = address };
	char bytes[PHP_ARRAY_BYTES];
	bool internal;

	if (address % 8 != 0 ||
	    !interp_copy_get(copy, address, bytes, PHP_FUNCTION_BYTES,
			     PHP_ARRAY_BYTES))
		return false;
	internal = bytes[PHP_FUNCTION_TYPE] == PHP_FUNCTION_INTERNAL;
	id.name = peek_u64(bytes, PHP_FUNCTION_NAME);
	id.class = peek_u64(bytes, PHP_FUNCTION_CLASS);
	if (internal) {
		id.handler = peek_u64(bytes, l->handler);
	} else {
		if (!interp_copy_get(copy, address, bytes, sizeof(bytes),
				     sizeof(bytes)))
			return false;
		id.file = peek_u64(bytes, l->file);
		id.line = peek_u32(bytes, l->line);
		id.opcodes = peek_u64(bytes, l->opcodes);
		id.last = peek_u32(bytes, l->last);
	}
	f->number = interp_records_find(all->records, &id)->number;
	f->internal = internal;
	f->nameless = id.name == 0;
	return true;
}

uint64_t
php_functions_add_text(struct php_functions *all, struct str text)
{
	/* No function is at address 1. */
	const struct php_identity id = { .address = 1,
					 .name = hash_seeded(text.p, text.len,
							     hash_seed()),
					 .line = (uint32_t)text.len };
	struct interp_record *r = interp_records_find(all->records, &id);

	if (r->text == NULL) {
		r->text = mem_alloc(text.len + 1);
		memcpy(r->text, text.p, text.len);
		r->text[text.len] = '\0';
	}
	return r->number;
}

/* Naming, later. */

/* Read a zend_string, up to its first NUL; empty if it cannot be read. */
static void
read_text(struct php_functions *all, uint64_t address, struct buf *text)
{
	uint64_t size;
	const char *end;

	text->len = 0;
	if (address == 0 ||
	    !interp_copy_read(&all->copy, address + PHP_STRING_SIZE, &size,
			      sizeof(size)))
		return;
	if (size > TEXT_BYTES)
		size = TEXT_BYTES;
	buf_reserve(text, size + 1);
	if (size == 0 ||
	    !interp_copy_read(&all->copy, address + PHP_STRING_TEXT, text->p,
			      size))
		return;
	/* Classes without a name: "class@anonymous", NUL, and where it is. */
	end = memchr(text->p, '\0', size);
	text->len = end == NULL ? size : (size_t)(end - text->p);
}

/* Read the lines of all opcodes. */
static void
read_lines(struct php_functions *all, struct interp_record *r)
{
	const struct php_identity *id = (const void *)r->identity;
	const size_t n = id->last;
	size_t i;

	if (n == 0 || n > OPCODES)
		return;
	all->raw.len = 0;
	buf_reserve(&all->raw, n * PHP_OPCODE_BYTES);
	if (!interp_copy_read(&all->copy, id->opcodes, all->raw.p,
			      n * PHP_OPCODE_BYTES))
		return;
	r->line = mem_alloc(n * sizeof(*r->line));
	for (i = 0; i < n; i++)
		r->line[i] = peek_u32(all->raw.p,
				      i * PHP_OPCODE_BYTES + PHP_OPCODE_LINE);
}

/*
 * Names are those of excimer: "Class::method", a file for its code outside of
 * functions, "{closure:FILE(LINE)}", as 8.4 has itself but for the brackets.
 */
static void
read_names(struct php_functions *all, struct interp_functions *functions,
	   struct interp_record *r)
{
	const struct php_identity *id = (const void *)r->identity;
	struct buf *name = &all->name;
	uint64_t class;

	if (r->text != NULL) {
		r->function = interp_functions_add(functions, STR("php"),
						   str_of(r->text), STR(""));
		r->named = true;
		return;
	}
	read_text(all, id->name, name);
	read_text(all, id->file, &all->file);
	all->class.len = 0;
	if (id->class != 0 &&
	    interp_copy_read(&all->copy, id->class + PHP_CLASS_NAME, &class,
			     sizeof(class)))
		read_text(all, class, &all->class);
	if (str_eq(buf_slice(name), STR("{closure}")) && all->file.len > 0) {
		name->len--;
		buf_printf(name, ":%.*s(%u)}", (int)all->file.len, all->file.p,
			   id->line);
	}
	if (name->len == 0)
		buf_str(name, buf_slice(&all->file));
	else if (all->class.len > 0)
		buf_str(&all->class, STR("::"));
	else
		all->class.len = 0;
	if (id->name == 0)
		all->class.len = 0;
	buf_str(&all->class, buf_slice(name));
	r->function = interp_functions_add(functions, STR("php"),
					   buf_slice(&all->class),
					   buf_slice(&all->file));
	r->named = true;
	read_lines(all, r);
}

/* The line of an opcode; 0 if it is not the function's. */
static uint32_t
find_line(struct php_functions *all, const struct interp_record *r, uint64_t ip)
{
	const struct php_identity *id = (const void *)r->identity;
	const uint64_t offset = ip - id->opcodes;
	uint32_t line;

	if (id->handler != 0 || offset % PHP_OPCODE_BYTES != 0 ||
	    offset / PHP_OPCODE_BYTES >= id->last)
		return 0;
	if (r->line != NULL)
		return r->line[offset / PHP_OPCODE_BYTES];
	return interp_copy_read(&all->copy, ip + PHP_OPCODE_LINE, &line,
				sizeof(line)) ?
		   line :
		   0;
}

void
php_functions_name(struct php_functions *all,
		   const struct interp_reader *reader,
		   struct interp_functions *functions, struct interp_stack *s)
{
	struct interp_vm_frame *f;
	struct interp_record *r;
	size_t i;

	interp_copy_begin(&all->copy, reader, NULL, NULL, NULL, 0);
	for (i = 0; i < s->n; i++) {
		f = &s->frame[i];
		r = interp_records_get(all->records, functions, STR("php"), f);
		if (r == NULL)
			continue;
		if (!r->named)
			read_names(all, functions, r);
		f->function = r->function;
		f->line = find_line(all, r, (uint64_t)f->ip);
		f->native = ((const struct php_identity *)r->identity)->handler;
	}
}
