/* ruby_memory.c - objects in the memory of a Ruby process. */
#include "interp/ruby_memory.h"

#include "base/peek.h"

enum { TEXT_BYTES = 4096 };

/* Flags of objects: ruby/internal/fl_type.h, value_type.h, rstring.h. */
enum {
	TYPE = 0x1f,
	TYPE_CLASS = 2,
	TYPE_MODULE = 3,
	TYPE_STRING = 5,
	TYPE_ARRAY = 7,
	TYPE_ICLASS = 0x1c,
	USER0 = 1 << 12,
	USER1 = 1 << 13
};

/* struct rb_symbols_t, symbol.c */
enum {
	SYMBOLS_LAST = 0,
	SYMBOLS_TABLE = 8,
	SYMBOLS_IDS = 16,
	SYMBOLS_BYTES = 24
};

bool
ruby_memory_word(struct ruby_memory *m, uint64_t address, uint64_t *word)
{
	return interp_copy_read(m->copy, address, word, sizeof(*word));
}

/* Read the flags of an object; false if that is no object. */
static bool
read_flags(struct ruby_memory *m, uint64_t object, uint64_t *flags)
{
	/* Immediate values have low bits; nil and false are small numbers. */
	return object % 8 == 0 && object > 4096 &&
	       ruby_memory_word(m, object, flags);
}

void
ruby_memory_string(struct ruby_memory *m, uint64_t string, struct buf *text)
{
	enum { LENGTH = 16, POINTER = 24, BYTES = 32 };
	const uint64_t outside = USER1;
	char head[BYTES];
	uint64_t n, at;

	text->len = 0;
	if (string % 8 != 0 || string < 4096 ||
	    !interp_copy_read(m->copy, string, head, sizeof(head)) ||
	    (peek_u64(head, 0) & TYPE) != TYPE_STRING)
		return;
	n = peek_u64(head, LENGTH);
	at = string + POINTER;
	if (peek_u64(head, 0) & outside) {
		at = peek_u64(head, POINTER);
	} else if (!m->l->counts) {
		n = peek_u64(head, 0) >> 14 & 0x1f;
		at = string + LENGTH;
	}
	if (n > TEXT_BYTES)
		n = TEXT_BYTES;
	buf_reserve(text, n + 1);
	if (n > 0 && interp_copy_read(m->copy, at, text->p, n))
		text->len = n;
}

bool
ruby_memory_array(struct ruby_memory *m, uint64_t array, uint64_t *elements,
		  uint64_t *n)
{
	enum { LENGTH = 16, POINTER = 32, BYTES = 40 };
	const uint64_t inside = USER1, lengths = m->l->counts ? 0x7f : 3;
	char head[BYTES];

	if (array % 8 != 0 || array < 4096 ||
	    !interp_copy_read(m->copy, array, head, sizeof(head)) ||
	    (peek_u64(head, 0) & TYPE) != TYPE_ARRAY)
		return false;
	*n = peek_u64(head, LENGTH);
	*elements = peek_u64(head, POINTER);
	if (peek_u64(head, 0) & inside) {
		*n = peek_u64(head, 0) >> 15 & lengths;
		*elements = array + LENGTH;
	}
	return true;
}

/* Symbols. */

enum { IDS = 512 /* ID_ENTRY_UNIT */, ID_BYTES = 16 };

void
ruby_memory_symbol(struct ruby_memory *m, uint64_t id, struct buf *text)
{
	/* Operators are their own numbers, up to tLAST_OP_ID. */
	const uint64_t operators = 512, scope = 4;
	const uint64_t number = id < operators ? id : id >> scope;
	uint64_t ids, elements, n, array, string;

	text->len = 0;
	if (m->symbols != 0 &&
	    ruby_memory_word(m, m->symbols + SYMBOLS_IDS, &ids) &&
	    ruby_memory_array(m, ids, &elements, &n) && number / IDS < n &&
	    ruby_memory_word(m, elements + number / IDS * 8, &array) &&
	    ruby_memory_array(m, array, &elements, &n) &&
	    number % IDS * 2 < n &&
	    ruby_memory_word(m, elements + number % IDS * ID_BYTES, &string))
		ruby_memory_string(m, string, text);
}

static bool
is_symbols(struct ruby_memory *m, const char *p)
{
	const uint64_t least = 512, most = 1 << 28;
	const uint64_t last = peek_u64(p, SYMBOLS_LAST) & UINT32_MAX;
	const uint64_t ids = peek_u64(p, SYMBOLS_IDS);
	uint64_t elements, n, array;

	return last >= least && last < most &&
	       peek_u64(p, SYMBOLS_LAST) >> 32 == 0 &&
	       peek_u64(p, SYMBOLS_TABLE) > 4096 &&
	       peek_u64(p, SYMBOLS_TABLE) % 8 == 0 &&
	       ruby_memory_array(m, ids, &elements, &n) && n > last / IDS &&
	       n < last / IDS * 2 + 64 &&
	       ruby_memory_word(m, elements, &array) &&
	       ruby_memory_array(m, array, &elements, &n) && n <= IDS * 2;
}

void
ruby_memory_find_symbols(struct ruby_memory *m, uint64_t near)
{
	enum { PAGE = 4096, PAGES = 64 };
	char page[PAGE + SYMBOLS_BYTES - 8];
	const uint64_t start = near / PAGE * PAGE - PAGES / 2 * PAGE;
	uint64_t at;
	size_t i, n;

	for (at = start; at < start + PAGES * PAGE; at += PAGE) {
		/* The table may go on in the next page, if there is one. */
		n = sizeof(page);
		if (!interp_copy_read(m->copy, at, page, n)) {
			n = PAGE;
			if (!interp_copy_read(m->copy, at, page, n))
				continue;
		}
		for (i = 0; i + SYMBOLS_BYTES <= n; i += 8) {
			if (is_symbols(m, page + i)) {
				m->symbols = at + i;
				return;
			}
		}
	}
}

/* Classes. */

/* Whether a key of a table is a symbol; *known is its ID when it was found. */
static bool
is_key(struct ruby_memory *m, uint64_t key, const char *name, uint64_t *known)
{
	struct buf text = { 0 };

	if (*known == 0) {
		ruby_memory_symbol(m, key, &text);
		if (str_eq(buf_slice(&text), str_of(name)))
			*known = key;
		buf_free(&text);
	}
	return *known == key && key != 0;
}

/* An instance variable of a class, up to 3.1; 0 if there is none. */
static uint64_t
find_variable(struct ruby_memory *m, uint64_t class, const char *name,
	      uint64_t *known)
{
	/* struct RClass, rb_classext_struct, st_table, st_table_entry */
	enum { EXTENSION = 24, VARIABLES = 8, BYTES = 56, BOUND = 40 };
	enum { ENTRIES = 48, KEY = 8, RECORD = 16, ENTRY = 24, MOST = 64 };
	uint64_t extension, table, n, i;
	char head[BYTES], entries[MOST * ENTRY];

	if (!ruby_memory_word(m, class + EXTENSION, &extension) ||
	    !ruby_memory_word(m, extension + VARIABLES, &table) || table == 0 ||
	    !interp_copy_read(m->copy, table, head, sizeof(head)))
		return 0;
	n = peek_u64(head, BOUND) < MOST ? peek_u64(head, BOUND) : MOST;
	if (n == 0 || !interp_copy_read(m->copy, peek_u64(head, ENTRIES),
					entries, n * ENTRY))
		return 0;
	for (i = 0; i < n; i++) {
		if (is_key(m, peek_u64(entries, i * ENTRY + KEY), name, known))
			return peek_u64(entries, i * ENTRY + RECORD);
	}
	return 0;
}

static uint64_t
find_field(struct ruby_memory *m, uint64_t class, uint16_t offset)
{
	uint64_t word;

	return ruby_memory_word(m, class + offset, &word) ? word : 0;
}

static void
read_class_name(struct ruby_memory *m, uint64_t class, struct buf *text)
{
	const uint64_t name = m->l->classes == RUBY_CLASSES_FIELD ?
				  find_field(m, class, m->l->classpath) :
				  find_variable(m, class, "__classpath__",
						&m->classpath);

	ruby_memory_string(m, name, text);
	/* "#<Class:0x00007f4b>::Name" is in a class without a name. */
	if (text->len > 0 && text->p[0] == '#')
		text->len = 0;
}

static uint64_t
find_attached(struct ruby_memory *m, uint64_t class)
{
	return m->l->classes == RUBY_CLASSES_FIELD ?
		   find_field(m, class, m->l->attached) :
		   find_variable(m, class, "__attached__", &m->attached);
}

void
ruby_memory_owner(struct ruby_memory *m, uint64_t owner, struct buf *text)
{
	const bool late = m->l->major > 3 ||
			  (m->l->major == 3 && m->l->minor >= 4);
	const uint64_t singleton = late ? USER1 : USER0;
	uint64_t flags, class;
	bool is_singleton;

	text->len = 0;
	if (m->l->classes == RUBY_CLASSES_UNKNOWN ||
	    !read_flags(m, owner, &flags))
		return;
	if ((flags & TYPE) == TYPE_ICLASS) {
		if (!ruby_memory_word(m, owner + 8, &class))
			return;
		owner = class;
		if (!read_flags(m, owner, &flags))
			return;
	}
	is_singleton = (flags & TYPE) == TYPE_CLASS && (flags & singleton);
	if (is_singleton) {
		owner = find_attached(m, owner);
		if (!read_flags(m, owner, &flags))
			return;
	}
	if ((flags & TYPE) != TYPE_CLASS && (flags & TYPE) != TYPE_MODULE)
		return;
	read_class_name(m, owner, text);
	if (text->len > 0)
		buf_char(text, is_singleton ? '.' : '#');
}
