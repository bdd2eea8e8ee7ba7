/* ruby_names.c - names and lines of Ruby's instruction sequences and methods.
 */
#include "interp/ruby_names.h"

#include "base/peek.h"
#include "base/table.h"
#include "interp/ruby_lines.h"
#include "interp/ruby_memory.h"
#include "interp/ruby_walk.h"

/* Limits of what is read of one object; more is cut off. */
enum { TABLE_BYTES = 1 << 19 };

/* A program that makes code in a loop would fill the cache. */
enum { MAX_CACHED = 65536 };

/* Members of rb_iseq_t and rb_iseq_constant_body, iseq.h and vm_core.h. */
enum {
	ISEQ_BODY = 16,
	ISEQ_BYTES = 24,
	BODY_WORDS = 4,
	BODY_CODE = 8,
	BODY_PATH = 64,
	BODY_BASE_LABEL = 72,
	BODY_LABEL = 80,
	BODY_BYTES = 192
};

/* Members of an imemo that is a method or stands for one, and of its def. */
enum {
	METHOD_DEF = 16,
	METHOD_OWNER = 32,
	METHOD_BYTES = 40,
	SVAR_METHOD = 8,
	DEF_ISEQ = 8, /* or of a function in C, its code */
	DEF_NATIVE = 8,
	DEF_ID = 32,
	DEF_BYTES = 40
};

enum imemo_type { IMEMO_SVAR = 2, IMEMO_METHOD = 6 };

/*
 * The identity of an object tells it from the one that was at the same address
 * before.  All zero: it has not been read.
 */
struct cached_iseq {
	uint64_t address, body;
	char identity[BODY_BYTES];
	struct buf label, base_label, path;
	struct buf insns, index; /* of lines */
	/* The function, with a method of a version; if named. */
	uint64_t context, version;
	uint32_t function;
	bool named;
	UT_hash_handle hh;
};

struct cached_method {
	uint64_t address;
	uint64_t svar; /* the method that an svar stands for, or 0 */
	char identity[METHOD_BYTES];
	struct buf owner, name; /* "Class#", "method" */
	uint64_t iseq;          /* 0: it is not in Ruby */
	uint64_t native;        /* its code if it is in C, or 0 */
	uint64_t version;       /* another number each time it is read */
	UT_hash_handle hh;
};

struct ruby_names {
	struct ruby_memory memory;
	uint64_t data;
	unsigned samples; /* since the table of symbols was searched */
	struct interp_copy copy;
	struct interp_spans wanted;
	struct cached_iseq *iseqs;
	struct cached_method *methods;
	uint64_t versions; /* of methods, so far */
	struct buf text;   /* scratch */
};

struct ruby_names *
ruby_names_new(const struct ruby_layout *l, uint64_t symbols, uint64_t data)
{
	struct ruby_names *all = mem_zero(1, sizeof(*all));

	all->memory.l = l;
	all->memory.copy = &all->copy;
	all->memory.symbols = symbols;
	all->data = data;
	return all;
}

static void
clear_iseqs(struct ruby_names *all)
{
	struct cached_iseq *q, *next;

	HASH_ITER(hh, all->iseqs, q, next)
	{
		HASH_DEL(all->iseqs, q);
		buf_free(&q->label);
		buf_free(&q->base_label);
		buf_free(&q->path);
		buf_free(&q->insns);
		buf_free(&q->index);
		free(q);
	}
}

static void
clear_methods(struct ruby_names *all)
{
	struct cached_method *m, *next;

	HASH_ITER(hh, all->methods, m, next)
	{
		HASH_DEL(all->methods, m);
		buf_free(&m->owner);
		buf_free(&m->name);
		free(m);
	}
}

void
ruby_names_free(struct ruby_names *all)
{
	if (all == NULL)
		return;
	clear_iseqs(all);
	clear_methods(all);
	interp_copy_free(&all->copy);
	interp_copy_free_spans(&all->wanted);
	buf_free(&all->text);
	free(all);
}

static struct cached_iseq *
find_iseq(struct ruby_names *all, uint64_t address)
{
	struct cached_iseq *q;

	HASH_FIND(hh, all->iseqs, &address, sizeof(address), q);
	return q;
}

static struct cached_method *
find_method(struct ruby_names *all, uint64_t address)
{
	struct cached_method *m;

	HASH_FIND(hh, all->methods, &address, sizeof(address), m);
	return m;
}

/* Copy all objects of a stack by one call, as far as they are there. */

static void
copy_objects(struct ruby_names *all, const struct interp_reader *reader,
	     const struct interp_stack *s)
{
	struct interp_spans *w = &all->wanted;
	const struct cached_method *m;
	const struct cached_iseq *q;
	size_t i;

	w->n = 0;
	for (i = 0; i < s->n; i++) {
		if (s->frame[i].ip != RUBY_WALK_C) {
			interp_copy_want(w, s->frame[i].code, ISEQ_BYTES);
			q = find_iseq(all, s->frame[i].code);
			interp_copy_want(w, q == NULL ? 0 : q->body,
					 BODY_BYTES);
		}
		interp_copy_want(w, s->frame[i].context, METHOD_BYTES);
		m = find_method(all, s->frame[i].context);
		interp_copy_want(w, m == NULL ? 0 : m->svar, METHOD_BYTES);
	}
	interp_copy_begin(&all->copy, reader, w, NULL, NULL, 0);
}

/* Methods. */

static void
read_method(struct ruby_names *all, struct cached_method *m)
{
	enum { TYPE = 0xf, TYPE_ISEQ = 0, TYPE_C = 1 };
	char def[DEF_BYTES];

	m->owner.len = m->name.len = 0;
	m->iseq = m->native = 0;
	m->version = ++all->versions;
	if (!interp_copy_read(&all->copy, peek_u64(m->identity, METHOD_DEF),
			      def, sizeof(def)))
		return;
	if ((def[0] & TYPE) == TYPE_ISEQ)
		m->iseq = peek_u64(def, DEF_ISEQ);
	if ((def[0] & TYPE) == TYPE_C)
		m->native = peek_u64(def, DEF_NATIVE);
	ruby_memory_symbol(&all->memory, peek_u64(def, DEF_ID), &m->name);
	ruby_memory_owner(&all->memory, peek_u64(m->identity, METHOD_OWNER),
			  &m->owner);
}

/*
 * The method of an imemo; NULL if it is none, such as the scope of a class
 * body.  An svar stands for one, where a method uses $~ or $_.
 */
static struct cached_method *
method_of(struct ruby_names *all, uint64_t address, bool may_be_svar)
{
	const unsigned shift = 12;
	const uint64_t mask = 0xf;
	char bytes[METHOD_BYTES];
	struct cached_method *m;
	uint64_t type;

	if (address == 0 || !interp_copy_get(&all->copy, address, bytes,
					     sizeof(bytes), sizeof(bytes)))
		return NULL;
	type = peek_u64(bytes, 0) >> shift & mask;
	if (type != IMEMO_METHOD && !(type == IMEMO_SVAR && may_be_svar))
		return NULL;
	/* Other flags are those of the garbage collector. */
	memset(bytes, 0, 8);
	m = find_method(all, address);
	if (m == NULL) {
		if (HASH_COUNT(all->methods) >= MAX_CACHED)
			clear_methods(all);
		m = mem_zero(1, sizeof(*m));
		m->address = address;
		HASH_ADD(hh, all->methods, address, sizeof(address), m);
	}
	m->svar = 0;
	if (type == IMEMO_SVAR) {
		m->svar = peek_u64(bytes, SVAR_METHOD);
		memset(m->identity, 0, sizeof(m->identity));
		return method_of(all, m->svar, false);
	}
	if (memcmp(m->identity, bytes, sizeof(bytes)) != 0) {
		memcpy(m->identity, bytes, sizeof(bytes));
		read_method(all, m);
	}
	return m;
}

/* Instruction sequences. */

/* Read n bytes of a table into the cache; it stays empty if that fails. */
static void
read_table(struct ruby_names *all, uint64_t address, size_t n,
	   struct buf *table)
{
	table->len = 0;
	if (n == 0 || n > TABLE_BYTES)
		return;
	buf_reserve(table, n);
	if (interp_copy_read(&all->copy, address, table->p, n))
		table->len = n;
}

static void
read_iseq(struct ruby_names *all, struct cached_iseq *q)
{
	enum { INSNS_SIZE = 16, INSNS_INDEX = 24 };
	const struct ruby_layout *l = all->memory.l;
	uint64_t path = peek_u64(q->identity, BODY_PATH), elements, n;
	const char *insns = q->identity + l->insns;

	q->named = false;
	ruby_memory_string(&all->memory, peek_u64(q->identity, BODY_LABEL),
			   &q->label);
	ruby_memory_string(&all->memory, peek_u64(q->identity, BODY_BASE_LABEL),
			   &q->base_label);
	/* The path as it was given, and the real one. */
	if (ruby_memory_array(&all->memory, path, &elements, &n) && n > 0 &&
	    !ruby_memory_word(&all->memory, elements, &path))
		path = 0;
	ruby_memory_string(&all->memory, path, &q->path);
	read_table(all, peek_u64(insns, 0),
		   (size_t)peek_u32(insns, INSNS_SIZE) * l->insn_size,
		   &q->insns);
	read_table(all, peek_u64(insns, INSNS_INDEX),
		   ruby_lines_index_size(peek_u32(q->identity, BODY_WORDS)),
		   &q->index);
}

static struct cached_iseq *
iseq_of(struct ruby_names *all, uint64_t address)
{
	char head[ISEQ_BYTES], body[BODY_BYTES];
	struct cached_iseq *q;
	uint64_t at;

	if (!interp_copy_get(&all->copy, address, head, sizeof(head),
			     sizeof(head)))
		return NULL;
	at = peek_u64(head, ISEQ_BODY);
	if (!interp_copy_get(&all->copy, at, body, sizeof(body), sizeof(body)))
		return NULL;
	/* What follows the tables of lines changes while the program runs. */
	memset(body + all->memory.l->local_iseq + 8, 0,
	       sizeof(body) - all->memory.l->local_iseq - 8);
	q = find_iseq(all, address);
	if (q == NULL) {
		if (HASH_COUNT(all->iseqs) >= MAX_CACHED)
			clear_iseqs(all);
		q = mem_zero(1, sizeof(*q));
		q->address = address;
		HASH_ADD(hh, all->iseqs, address, sizeof(address), q);
	}
	q->body = at;
	if (memcmp(q->identity, body, sizeof(body)) != 0) {
		memcpy(q->identity, body, sizeof(body));
		read_iseq(all, q);
	}
	return q;
}

/*
 * "block in each" of a method of Tree is "block in Tree#each", as Ruby itself
 * writes from 3.4 on, and rb_profile_frames() since long.
 */
static void
add_label(struct ruby_names *all, const struct cached_iseq *q,
	  const struct cached_method *m)
{
	const struct str label = buf_slice(&q->label),
			 base = buf_slice(&q->base_label);
	const uint64_t local = peek_u64(q->identity, all->memory.l->local_iseq);

	all->text.len = 0;
	if (m == NULL || m->iseq == 0 || !str_ends(label, base) ||
	    (m->iseq != local && !str_eq(buf_slice(&m->name), base))) {
		buf_str(&all->text, label);
		return;
	}
	buf_add(&all->text, label.p, label.len - base.len);
	buf_str(&all->text, buf_slice(&m->owner));
	buf_str(&all->text, base);
}

static uint32_t
name_iseq(struct ruby_names *all, struct interp_functions *functions,
	  struct cached_iseq *q, uint64_t context)
{
	const struct cached_method *m = method_of(all, context, true);
	const uint64_t version = m == NULL ? 0 : m->version;

	if (q->named && q->context == context && q->version == version)
		return q->function;
	add_label(all, q, m);
	q->named = true;
	q->context = context;
	q->version = version;
	q->function = interp_functions_add(
	    functions, STR("ruby"), buf_slice(&all->text), buf_slice(&q->path));
	return q->function;
}

static void
name_method(struct ruby_names *all, struct interp_functions *functions,
	    struct interp_vm_frame *f)
{
	const struct cached_method *m = method_of(all, f->code, false);

	all->text.len = 0;
	if (m != NULL) {
		f->native = m->native;
		buf_str(&all->text, buf_slice(&m->owner));
		buf_str(&all->text, buf_slice(&m->name));
	}
	f->function = interp_functions_add(
	    functions, STR("ruby"), buf_slice(&all->text), STR("<cfunc>"));
}

static void
name_frame(struct ruby_names *all, struct interp_functions *functions,
	   struct interp_vm_frame *f)
{
	struct cached_iseq *q;
	uint64_t position;

	f->line = 0;
	if (f->ip == RUBY_WALK_C) {
		name_method(all, functions, f);
		return;
	}
	q = iseq_of(all, f->code);
	if (q == NULL) {
		f->function = interp_functions_add(functions, STR("ruby"),
						   STR(""), STR(""));
		return;
	}
	f->function = name_iseq(all, functions, q, f->context);
	/* pc is after the instruction that is executed. */
	position = ((uint64_t)f->ip - peek_u64(q->identity, BODY_CODE)) / 8;
	f->line = ruby_lines_find(
	    buf_slice(&q->insns), all->memory.l->insn_size,
	    buf_slice(&q->index), position > 0 ? position - 1 : 0);
}

/* Search the table of symbols, again if it was not there when Ruby started. */
static void
find_symbols(struct ruby_names *all)
{
	const unsigned interval = 64;

	if (all->memory.symbols != 0 || all->samples++ % interval != 0)
		return;
	ruby_memory_find_symbols(&all->memory, all->data);
	if (all->memory.symbols == 0)
		return;
	/* Names so far lack what takes symbols. */
	clear_iseqs(all);
	clear_methods(all);
}

void
ruby_names_find(struct ruby_names *all, const struct interp_reader *reader,
		struct interp_functions *functions, struct interp_stack *s)
{
	size_t i;

	copy_objects(all, reader, s);
	find_symbols(all);
	for (i = 0; i < s->n; i++)
		name_frame(all, functions, &s->frame[i]);
}
