/* cpython_code.c - functions and lines of CPython's code objects. */
#include "interp/cpython_code.h"

#include "base/peek.h"
#include "base/table.h"
#include "base/utf8.h"
#include "interp/cpython_lines.h"

/* Limits of what is read of one object; more is cut off. */
enum { TEXT_BYTES = 4096, TABLE_BYTES = 1 << 19 };

/* Bytes of line tables to search in one sample; frames beyond have no line. */
enum { SEARCHED_BYTES = 4 << 20 };

/* A program that compiles code in a loop would fill the cache. */
enum { MAX_CODES = 65536 };

enum { CODE_BYTES = 1040 };

/*
 * What tells code objects apart that were at the same address one after the
 * other.
 */
struct code_identity {
	uint64_t file, name, table;
	uint32_t line, unused;
};

struct cached_code {
	uint64_t address;
	struct code_identity identity;
	uint32_t function;
	struct buf table; /* of lines */
	UT_hash_handle hh;
};

struct cpython_codes {
	const struct cpython_layout *l;
	uint64_t type;
	struct interp_range own;
	struct cached_code *table;
	size_t searched; /* bytes of line tables in this sample */
	struct interp_copy copy;
	struct interp_spans wanted;
	struct buf name, file, raw; /* scratch */
};

struct cpython_codes *
cpython_code_new(const struct cpython_layout *l, uint64_t type,
		 struct interp_range own)
{
	struct cpython_codes *all = mem_zero(1, sizeof(*all));

	all->l = l;
	all->type = type;
	all->own = own;
	return all;
}

static void
clear(struct cpython_codes *all)
{
	struct cached_code *c, *next;

	HASH_ITER(hh, all->table, c, next)
	{
		HASH_DEL(all->table, c);
		buf_free(&c->table);
		free(c);
	}
}

void
cpython_code_free(struct cpython_codes *all)
{
	if (all == NULL)
		return;
	clear(all);
	interp_copy_free(&all->copy);
	interp_copy_free_spans(&all->wanted);
	buf_free(&all->name);
	buf_free(&all->file);
	buf_free(&all->raw);
	free(all);
}

/* Strings. */

/* Append characters of 1, 2 or 4 bytes as UTF-8. */
static void
add_text(struct buf *out, const char *p, size_t n, size_t width)
{
	uint32_t c;
	uint16_t c2;
	size_t i;

	for (i = 0; i < n; i++) {
		c = (uint8_t)p[i * width];
		if (width == 2) {
			memcpy(&c2, p + i * 2, sizeof(c2));
			c = c2;
		} else if (width == 4) {
			c = peek_u32(p, i * 4);
		}
		utf8_put(out, c);
	}
}

/* Read n bytes of an object that changes no more. */
static bool
read_bytes(struct cpython_codes *all, uint64_t address, size_t n)
{
	all->raw.len = 0;
	buf_reserve(&all->raw, n + 1);
	if (n > 0 && !interp_copy_read(&all->copy, address, all->raw.p, n))
		return false;
	all->raw.len = n;
	return true;
}

/* Read a bytes object, or as much as max bytes of it. */
static bool
read_object(struct cpython_codes *all, uint64_t address, uint64_t max)
{
	enum { LENGTH = 16 };
	char head[24];
	uint64_t length;

	if (!interp_copy_read(&all->copy, address, head, sizeof(head)))
		return false;
	length = peek_u64(head, LENGTH);
	return read_bytes(all, address + all->l->bytes,
			  length < max ? length : max);
}

/* A name, a str; the text stays empty if it cannot be read. */
static void
read_text(struct cpython_codes *all, uint64_t address, struct buf *text)
{
	enum { LENGTH = 16, STATE = 32 };
	const struct cpython_layout *l = all->l;
	char head[80];
	uint64_t length, data;
	uint32_t kind, state;

	text->len = 0;
	if (l->text.wide == 0) {
		if (read_object(all, address, TEXT_BYTES))
			buf_str(text, buf_slice(&all->raw));
		return;
	}
	if (!interp_copy_read(&all->copy, address, head, l->text.wide + 8))
		return;
	length = peek_u64(head, LENGTH);
	state = peek_u32(head, STATE);
	kind = state >> 2 & 7;
	if (kind != 1 && kind != 2 && kind != 4)
		return;
	if (length > TEXT_BYTES / kind)
		length = TEXT_BYTES / kind;
	if (!(state & 32)) /* not compact: a pointer to the text */
		data = peek_u64(head, l->text.wide);
	else
		data = address + (state & 64 ? l->text.ascii : l->text.wide);
	if (read_bytes(all, data, length * kind))
		add_text(text, all->raw.p, length, kind);
}

/* Code objects. */

static int
compare(const void *a, const void *b)
{
	const struct interp_span *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

/* Copy all code objects of a stack by one call, as far as they are there. */
static void
copy_codes(struct cpython_codes *all, const struct interp_reader *reader,
	   const struct interp_stack *s)
{
	struct interp_spans *w = &all->wanted;
	size_t i, j;

	w->n = 0;
	for (i = 0; i < s->n && w->n < 512; i++) {
		for (j = 0; j < w->n; j++) {
			if (w->span[j].address == s->frame[i].code)
				break;
		}
		if (j < w->n)
			continue;
		w->span = mem_grow(w->span, &w->cap, w->n + 1,
				   sizeof(*w->span));
		w->span[w->n++] = (struct interp_span){
			.address = s->frame[i].code, .n = all->l->code.size
		};
	}
	if (w->n > 1)
		qsort(w->span, w->n, sizeof(*w->span), compare);
	interp_copy_begin(&all->copy, reader, w, NULL, NULL, 0);
}

static struct cached_code *
find(struct cpython_codes *all, uint64_t address)
{
	struct cached_code *c;

	HASH_FIND(hh, all->table, &address, sizeof(address), c);
	if (c != NULL)
		return c;
	if (HASH_COUNT(all->table) >= MAX_CODES)
		clear(all);
	c = mem_zero(1, sizeof(*c));
	c->address = address;
	HASH_ADD(hh, all->table, address, sizeof(address), c);
	return c;
}

/* Read the names and the table of a code object into the cache. */
static void
read_code(struct cpython_codes *all, struct interp_functions *functions,
	  struct cached_code *c)
{
	read_text(all, c->identity.name, &all->name);
	read_text(all, c->identity.file, &all->file);
	c->table.len = 0;
	if (read_object(all, c->identity.table, TABLE_BYTES))
		buf_str(&c->table, buf_slice(&all->raw));
	/* 3.12 and later have code of their own to call __init__() by. */
	c->function = INTERP_STACK_HIDDEN;
	if (c->identity.name == c->identity.file &&
	    c->address >= all->own.start && c->address < all->own.end)
		return;
	c->function = interp_functions_add(functions, STR("python"),
					   buf_slice(&all->name),
					   buf_slice(&all->file));
}

static void
name_frame(struct cpython_codes *all, struct interp_functions *functions,
	   struct interp_vm_frame *f)
{
	enum { TYPE = 8 };
	const struct cpython_layout *l = all->l;
	struct code_identity id = { 0 };
	struct cached_code *c;
	char bytes[CODE_BYTES];
	int64_t at = f->ip;

	f->line = 0;
	if (!interp_copy_get(&all->copy, f->code, bytes, l->code.size,
			     l->code.size) ||
	    (all->type != 0 && peek_u64(bytes, TYPE) != all->type)) {
		f->function = interp_functions_add(functions, STR("python"),
						   STR(""), STR(""));
		return;
	}
	id.file = peek_u64(bytes, l->code.file);
	id.name = peek_u64(bytes, l->code.qualname != CPYTHON_NONE ?
				      l->code.qualname :
				      l->code.name);
	id.table = peek_u64(bytes, l->code.table);
	id.line = peek_u32(bytes, l->code.line);
	c = find(all, f->code);
	if (memcmp(&c->identity, &id, sizeof(id)) != 0) {
		c->identity = id;
		read_code(all, functions, c);
	}
	if (l->frames != CPYTHON_OBJECTS)
		at -= (int64_t)(f->code + l->code.bytes);
	else if (l->lines == CPYTHON_LINETABLE)
		at *= 2;
	f->function = c->function;
	all->searched += c->table.len;
	if (all->searched <= SEARCHED_BYTES)
		f->line = cpython_lines_find(l->lines, buf_slice(&c->table),
					     id.line, at);
}

void
cpython_code_name(struct cpython_codes *all, const struct interp_reader *reader,
		  struct interp_functions *functions, struct interp_stack *s)
{
	size_t i;

	all->searched = 0;
	copy_codes(all, reader, s);
	for (i = 0; i < s->n; i++)
		name_frame(all, functions, &s->frame[i]);
}
