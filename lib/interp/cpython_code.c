/* cpython_code.c - functions and lines of CPython's code objects. */
#include "interp/cpython_code.h"

#include "base/peek.h"
#include "base/table.h"
#include "interp/cpython_lines.h"
#include "interp/cpython_text.h"
#include "os/clock.h"

/* The limit of a line table; more is cut off. */
enum { TABLE_BYTES = 1 << 19 };

/* Bytes of line tables to search in one sample; frames beyond have no line. */
enum { SEARCHED_BYTES = 4 << 20 };

/* A program that compiles code in a loop would fill the cache. */
enum { MAX_CODES = 65536 };

enum { CODE_BYTES = 1040 };

/*
 * A code object that was read this long ago, in ns, is not read again: the
 * threads of a process mostly share theirs.  Names are read when a thread is no
 * longer held, after about as much time, so this adds no new kind of error.
 */
#define FRESH_NS 1000000

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
	/* The address that was searched last; -1: none, or before the code. */
	int64_t at;
	uint32_t line;
	uint64_t wanted;  /* the last sample that has it */
	uint64_t checked; /* when it was read last, in ns */
	bool is_code;     /* then */
	UT_hash_handle hh;
};

struct cpython_codes {
	const struct cpython_layout *l;
	uint64_t type;
	struct interp_range own;
	struct cached_code *table;
	uint64_t sample;         /* its number, from 1 */
	uint64_t now;            /* when it began, CLOCK_MONOTONIC in ns */
	size_t searched;         /* bytes of line tables in this sample */
	struct cached_code **of; /* the frames of this sample */
	size_t of_cap;
	struct interp_copy copy;
	struct interp_spans wanted;
	struct buf name, file; /* scratch */
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
	free(all->of);
	buf_free(&all->name);
	buf_free(&all->file);
	free(all);
}

/* Code objects. */

static int
compare(const void *a, const void *b)
{
	const struct interp_span *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

static struct cached_code *
find(struct cpython_codes *all, uint64_t address)
{
	struct cached_code *c;

	HASH_FIND(hh, all->table, &address, sizeof(address), c);
	if (c != NULL)
		return c;
	c = mem_zero(1, sizeof(*c));
	c->address = address;
	c->at = -1;
	HASH_ADD(hh, all->table, address, sizeof(address), c);
	return c;
}

static bool
is_fresh(const struct cpython_codes *all, const struct cached_code *c)
{
	return c->is_code && all->now - c->checked < FRESH_NS;
}

/* Find the code objects of a stack; those to read are in all->wanted. */
static void
find_codes(struct cpython_codes *all, const struct interp_stack *s)
{
	enum { MOST_AT_ONCE = 512 };
	struct interp_spans *w = &all->wanted;
	struct cached_code *c = NULL;
	size_t i;

	w->n = 0;
	if (HASH_COUNT(all->table) + s->n > MAX_CODES)
		clear(all);
	all->of = mem_grow(all->of, &all->of_cap, s->n, sizeof(*all->of));
	for (i = 0; i < s->n; i++) {
		if (c == NULL || c->address != s->frame[i].code)
			c = find(all, s->frame[i].code);
		all->of[i] = c;
		if (c->wanted == all->sample || is_fresh(all, c) ||
		    w->n == MOST_AT_ONCE)
			continue;
		c->wanted = all->sample;
		w->span = mem_grow(w->span, &w->cap, w->n + 1,
				   sizeof(*w->span));
		w->span[w->n++] = (struct interp_span){
			.address = c->address, .n = all->l->code.size
		};
	}
}

/* Copy all code objects of a stack by one call, as far as they are there. */
static void
copy_codes(struct cpython_codes *all, const struct interp_reader *reader)
{
	struct interp_spans *w = &all->wanted;

	if (w->n > 1)
		qsort(w->span, w->n, sizeof(*w->span), compare);
	interp_copy_begin(&all->copy, reader, w, NULL, NULL, 0);
}

/* Read the names and the table of a code object into the cache. */
static void
read_code(struct cpython_codes *all, struct interp_functions *functions,
	  struct cached_code *c)
{
	cpython_text_read(all->l, &all->copy, c->identity.name, &all->name);
	cpython_text_read(all->l, &all->copy, c->identity.file, &all->file);
	cpython_text_bytes(all->l, &all->copy, c->identity.table, TABLE_BYTES,
			   &c->table);
	/* 3.12 and later have code of their own to call __init__() by. */
	c->function = INTERP_STACK_HIDDEN;
	if (c->identity.name == c->identity.file &&
	    c->address >= all->own.start && c->address < all->own.end)
		return;
	c->function = interp_functions_add(functions, STR("python"),
					   buf_slice(&all->name),
					   buf_slice(&all->file));
}

/* Whether the memory is that of a code object still, and of the same one. */
static void
check_code(struct cpython_codes *all, struct interp_functions *functions,
	   struct cached_code *c)
{
	enum { TYPE = 8 };
	const struct cpython_layout *l = all->l;
	struct code_identity id = { 0 };
	char bytes[CODE_BYTES];

	c->checked = all->now;
	c->is_code = interp_copy_get(&all->copy, c->address, bytes,
				     l->code.size, l->code.size) &&
		     (all->type == 0 || peek_u64(bytes, TYPE) == all->type);
	if (!c->is_code)
		return;
	id.file = peek_u64(bytes, l->code.file);
	id.name = peek_u64(bytes, l->code.qualname != CPYTHON_NONE ?
				      l->code.qualname :
				      l->code.name);
	id.table = peek_u64(bytes, l->code.table);
	id.line = peek_u32(bytes, l->code.line);
	if (memcmp(&c->identity, &id, sizeof(id)) == 0)
		return;
	c->identity = id;
	c->at = -1;
	read_code(all, functions, c);
}

/* The line of an address in a code object; most frames wait where they were. */
static uint32_t
find_line(struct cpython_codes *all, struct cached_code *c, int64_t at)
{
	if (at >= 0 && at == c->at)
		return c->line;
	all->searched += c->table.len;
	if (all->searched > SEARCHED_BYTES)
		return 0;
	c->at = at;
	c->line = cpython_lines_find(all->l->lines, buf_slice(&c->table),
				     c->identity.line, at);
	return c->line;
}

static void
name_frame(struct cpython_codes *all, struct interp_functions *functions,
	   struct cached_code *c, struct interp_vm_frame *f)
{
	const struct cpython_layout *l = all->l;
	int64_t at = f->ip;

	f->line = 0;
	if (!is_fresh(all, c))
		check_code(all, functions, c);
	if (!c->is_code) {
		f->function = interp_functions_add(functions, STR("python"),
						   STR(""), STR(""));
		return;
	}
	if (l->frames != CPYTHON_OBJECTS)
		at = (int64_t)((uint64_t)at - f->code - l->code.bytes);
	else if (l->lines == CPYTHON_LINETABLE)
		at *= 2;
	f->function = c->function;
	f->line = find_line(all, c, at);
}

void
cpython_code_name(struct cpython_codes *all, const struct interp_reader *reader,
		  struct interp_functions *functions, struct interp_stack *s)
{
	size_t i;

	all->sample++;
	all->now = clock_ns(CLOCK_MONOTONIC);
	all->searched = 0;
	find_codes(all, s);
	copy_codes(all, reader);
	for (i = 0; i < s->n; i++)
		name_frame(all, functions, all->of[i], &s->frame[i]);
}
