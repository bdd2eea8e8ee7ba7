/* hotspot_methods.c - methods of a HotSpot: their names and lines. */
#include "interp/hotspot_methods.h"

#include "base/mem.h"
#include "base/table.h"
#include "interp/hotspot_scopes.h"

#include <stdlib.h>

/* Limits: methods cached, bytes of a name, of a table of lines. */
enum { MAX_METHODS = 1 << 17, MAX_NAME = 1024, MAX_LINES = 1 << 17 };

/* The table of lines has a difference in a byte, or after this one. */
enum { ESCAPE = 0xff, BCI_SHIFT = 3, LINE_MASK = 7 };

/*
 * A method.  Memory of a class that was unloaded may be used again: it is
 * another method if one of these differs.
 */
struct method_identity {
	uint64_t constants; /* ConstMethod* */
	uint64_t pool;      /* ConstantPool* */
	uint32_t flags, code_size, name;
};

struct known_method {
	uint64_t address;
	struct method_identity identity;
	char *name;                       /* NULL: not read yet */
	uint32_t function[HOTSPOT_TIERS]; /* plus one; 0: not made yet */
	struct buf lines;                 /* compressed */
	bool has_lines;                   /* they were read */
	UT_hash_handle hh;
};

struct hotspot_methods {
	const struct hotspot_layout *l;
	struct known_method *known;
	bool trusts; /* hotspot_methods_trust() */
	bool has_virtual;
};

struct hotspot_methods *
hotspot_methods_new(const struct hotspot_layout *l)
{
	struct hotspot_methods *all = mem_zero(1, sizeof(*all));

	all->l = l;
	return all;
}

void
hotspot_methods_trust(struct hotspot_methods *all)
{
	all->trusts = true;
}

static void
reset(struct known_method *m)
{
	free(m->name);
	m->name = NULL;
	m->lines.len = 0;
	m->has_lines = false;
	memset(m->function, 0, sizeof(m->function));
}

static void
clear(struct hotspot_methods *all)
{
	struct known_method *m, *next;

	HASH_ITER(hh, all->known, m, next)
	{
		HASH_DEL(all->known, m);
		free(m->name);
		buf_free(&m->lines);
		free(m);
	}
}

void
hotspot_methods_free(struct hotspot_methods *all)
{
	if (all == NULL)
		return;
	clear(all);
	free(all);
}

/* Read what tells a method from others. */
static bool
read_identity(const struct hotspot_layout *l, struct interp_copy *memory,
	      uint64_t method, struct method_identity *id)
{
	const size_t n = l->type[HOTSPOT_CONST_METHOD];
	char bytes[HOTSPOT_OBJECT_MAX];

	memset(id, 0, sizeof(*id));
	if (method % 8 != 0 ||
	    !hotspot_layout_read_field(l, HOTSPOT_METHOD_CONST, memory, method,
				       &id->constants) ||
	    id->constants == 0 || id->constants % 8 != 0 ||
	    !interp_copy_get(memory, id->constants, bytes, n, n))
		return false;
	id->pool = hotspot_layout_get(l, HOTSPOT_CONST_POOL, bytes, n);
	id->flags = (uint32_t)hotspot_layout_get(l, HOTSPOT_CONST_FLAGS, bytes,
						 n);
	id->code_size = (uint32_t)hotspot_layout_get(l, HOTSPOT_CONST_CODE_SIZE,
						     bytes, n);
	id->name = (uint32_t)hotspot_layout_get(l, HOTSPOT_CONST_NAME, bytes,
						n);
	return id->pool != 0 && id->pool % 8 == 0 && id->name != 0;
}

static bool
is_same(const struct method_identity *a, const struct method_identity *b)
{
	return a->constants == b->constants && a->pool == b->pool &&
	       a->flags == b->flags && a->code_size == b->code_size &&
	       a->name == b->name;
}

/* Find a method, as it is now; NULL if there is none. */
static struct known_method *
find_now(struct hotspot_methods *all, struct interp_copy *memory,
	 uint64_t method)
{
	struct method_identity id;
	struct known_method *m;

	if (!read_identity(all->l, memory, method, &id))
		return NULL;
	HASH_FIND(hh, all->known, &method, sizeof(method), m);
	if (m != NULL) {
		if (!is_same(&m->identity, &id))
			reset(m);
		m->identity = id;
		return m;
	}
	if (HASH_COUNT(all->known) >= MAX_METHODS)
		clear(all);
	m = mem_zero(1, sizeof(*m));
	m->address = method;
	m->identity = id;
	HASH_ADD(hh, all->known, address, sizeof(m->address), m);
	return m;
}

static struct known_method *
find(struct hotspot_methods *all, struct interp_copy *memory, uint64_t method)
{
	struct known_method *m = NULL;

	if (all->trusts)
		HASH_FIND(hh, all->known, &method, sizeof(method), m);
	return m != NULL ? m : find_now(all, memory, method);
}

bool
hotspot_methods_has(struct hotspot_methods *all, struct interp_copy *memory,
		    uint64_t method, uint64_t *code, uint32_t *size)
{
	const struct known_method *m = find_now(all, memory, method);

	if (m == NULL)
		return false;
	*code = m->identity.constants + all->l->type[HOTSPOT_CONST_METHOD];
	*size = m->identity.code_size;
	return true;
}

/* Names. */

static bool
append_symbol(const struct hotspot_layout *l, struct interp_copy *memory,
	      uint64_t symbol, struct buf *out)
{
	uint64_t n;

	if (!hotspot_layout_read_field(l, HOTSPOT_SYMBOL_LENGTH, memory, symbol,
				       &n) ||
	    n == 0)
		return false;
	if (n > MAX_NAME)
		n = MAX_NAME;
	buf_reserve(out, n);
	if (!interp_copy_read(memory,
			      symbol + l->field[HOTSPOT_SYMBOL_BODY].offset,
			      out->p + out->len, n))
		return false;
	out->len += n;
	return true;
}

static bool
append_class(const struct hotspot_layout *l, struct interp_copy *memory,
	     uint64_t pool, struct buf *out)
{
	uint64_t klass, symbol;

	return hotspot_layout_read_field(l, HOTSPOT_POOL_HOLDER, memory, pool,
					 &klass) &&
	       hotspot_layout_read_field(l, HOTSPOT_KLASS_NAME, memory, klass,
					 &symbol) &&
	       append_symbol(l, memory, symbol, out);
}

static bool
append_method(const struct hotspot_layout *l, struct interp_copy *memory,
	      const struct method_identity *id, struct buf *out)
{
	const uint64_t slot = id->pool + l->type[HOTSPOT_CONSTANT_POOL] +
			      8 * (uint64_t)id->name;
	uint64_t symbol, n;

	/* The lowest bits of an entry say what it is. */
	return hotspot_layout_read_field(l, HOTSPOT_POOL_LENGTH, memory,
					 id->pool, &n) &&
	       id->name < n &&
	       interp_copy_read(memory, slot, &symbol, sizeof(symbol)) &&
	       append_symbol(l, memory, symbol & ~UINT64_C(3), out);
}

/* "java/lang/Thread.run"; empty if it cannot be read. */
static void
read_name(struct hotspot_methods *all, struct interp_copy *memory,
	  struct known_method *m)
{
	struct buf text = { 0 };

	if (!append_class(all->l, memory, m->identity.pool, &text))
		text.len = 0;
	buf_char(&text, '.');
	if (text.len < 2 || !append_method(all->l, memory, &m->identity, &text))
		text.len = 0;
	buf_char(&text, '\0');
	m->name = text.p;
	all->has_virtual |=
	    strcmp(m->name, "java/lang/VirtualThread.runContinuation") == 0;
}

bool
hotspot_methods_has_virtual(const struct hotspot_methods *all)
{
	return all->has_virtual;
}

struct str
hotspot_methods_mark(enum hotspot_tier tier)
{
	switch (tier) {
	case HOTSPOT_TIER_INTERPRETED:
		return STR("_[0]");
	case HOTSPOT_TIER_LOW:
		return STR("_[1]");
	case HOTSPOT_TIER_TOP:
		return STR("_[j]");
	case HOTSPOT_TIER_INLINED:
		return STR("_[i]");
	default:
		return STR("");
	}
}

struct str
hotspot_methods_name(struct hotspot_methods *all, struct interp_copy *memory,
		     uint64_t method)
{
	struct known_method *m = find(all, memory, method);

	if (m != NULL && m->name == NULL)
		read_name(all, memory, m);
	return m == NULL ? STR("") : str_of(m->name);
}

uint32_t
hotspot_methods_function(struct hotspot_methods *all,
			 struct interp_copy *memory,
			 struct interp_functions *functions, uint64_t method,
			 enum hotspot_tier tier)
{
	struct known_method *m = find(all, memory, method);
	struct buf text = { 0 };
	uint32_t number;

	if (m != NULL && m->function[tier] != 0)
		return m->function[tier] - 1;
	if (m != NULL && m->name == NULL)
		read_name(all, memory, m);
	buf_str(&text, m == NULL || m->name[0] == '\0' ? STR("[unknown]") :
							 str_of(m->name));
	buf_str(&text, hotspot_methods_mark(tier));
	number = interp_functions_add(functions, STR("java"), buf_slice(&text),
				      STR(""));
	buf_free(&text);
	if (m != NULL)
		m->function[tier] = number + 1;
	return number;
}

/* Lines. */

/* Numbers with a sign have it in their lowest bit. */
static int32_t
signed_of(uint32_t n)
{
	return (int32_t)(n >> 1) ^ -(int32_t)(n & 1);
}

/*
 * The line of a bytecode in a compressed table of lines: that of the last entry
 * at or before it.  Entries need not be in order.
 */
static uint32_t
find_line(struct str table, unsigned excess, int64_t bci)
{
	const char *p = table.p;
	const char *const end = table.len == 0 ? p : p + table.len;
	int64_t at = 0, line = 0, best = -1;
	uint32_t d_bci, d_line, found = 0;
	unsigned char byte;

	while (p < end && *p != 0) {
		byte = (unsigned char)*p++;
		if (byte != ESCAPE) {
			at += byte >> BCI_SHIFT;
			line += byte & LINE_MASK;
		} else {
			if (!hotspot_scopes_number(&p, end, excess, &d_bci) ||
			    !hotspot_scopes_number(&p, end, excess, &d_line))
				break;
			at += signed_of(d_bci);
			line += signed_of(d_line);
		}
		if (at > bci || at < best)
			continue;
		best = at;
		found = line > 0 && line <= INT32_MAX ? (uint32_t)line : 0;
	}
	return found;
}

/* The table follows the bytecodes; what else does is read with it. */
static void
read_lines(const struct hotspot_layout *l, struct interp_copy *memory,
	   struct known_method *m)
{
	const uint64_t begin = l->type[HOTSPOT_CONST_METHOD] +
			       (uint64_t)m->identity.code_size;
	uint64_t words, n;

	m->has_lines = true;
	if ((m->identity.flags & 1) == 0 ||
	    !hotspot_layout_read_field(l, HOTSPOT_CONST_SIZE, memory,
				       m->identity.constants, &words) ||
	    words > MAX_LINES || words * 8 <= begin)
		return;
	n = words * 8 - begin;
	if (n > MAX_LINES)
		n = MAX_LINES;
	buf_reserve(&m->lines, n);
	if (interp_copy_read(memory, m->identity.constants + begin, m->lines.p,
			     n))
		m->lines.len = n;
}

uint32_t
hotspot_methods_line(struct hotspot_methods *all, struct interp_copy *memory,
		     uint64_t method, int64_t bci)
{
	struct known_method *m = find(all, memory, method);

	if (m == NULL || bci < 0 || bci >= m->identity.code_size)
		return 0;
	if (!m->has_lines)
		read_lines(all->l, memory, m);
	return find_line(buf_slice(&m->lines), hotspot_scopes_excess(all->l),
			 bci);
}
