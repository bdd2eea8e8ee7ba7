/* framecache.c - a cache of parsed frame lines of perf script text. */
#include "perfscript/framecache.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/hash.h"
#include "base/intern.h"
#include "base/mem.h"

#include <stdlib.h>

#define TABLE_BYTES (sizeof(uint32_t) << FRAMECACHE_BITS)
#define POOL_BYTES ((size_t)24 << 20)

/* The parts of a frame that are read only once, and need not be hot. */
struct cached_meaning {
	uint64_t addr, offset;
	struct framecache_symbol *symbol;
};

struct framecache_more {
	struct cached_meaning *meaning; /* by number of the frame */
	size_t n, cap;
	struct arena large; /* frames outside of the pool */

	struct intern *keys; /* of symbols: module length, module, name */
	struct framecache_symbol **symbol;
	size_t symbol_cap;
	struct arena symbols;
	struct buf key;
};

void
framecache_init(struct framecache *c)
{
	c->pool = mem_map(POOL_BYTES);
	c->table = (uint32_t *)(void *)c->pool;
	c->used = TABLE_BYTES;
	/* An input must not be able to choose lines that share a slot. */
	c->factor[0] = hash_seed() | 1;
	c->factor[1] = (hash_seed() * 0x9e3779b97f4a7c15u) | 1;
	c->more = mem_zero(1, sizeof(*c->more));
	c->more->keys = intern_new();
}

void
framecache_free(struct framecache *c)
{
	struct framecache_more *m = c->more;

	mem_unmap(c->pool, POOL_BYTES);
	free(m->meaning);
	arena_free(&m->large);
	intern_free(m->keys);
	free(m->symbol);
	arena_free(&m->symbols);
	buf_free(&m->key);
	free(m);
}

bool
framecache_limit(struct framecache *c)
{
	if (c->used + c->more->large.size < POOL_BYTES / 8 * 7)
		return false;
	memset(c->table, 0, TABLE_BYTES);
	c->used = TABLE_BYTES;
	c->more->n = 0;
	arena_free(&c->more->large);
	return true;
}

static struct framecache_symbol *
find_symbol(struct framecache_more *m, struct str module, struct str function)
{
	uint32_t id, n = intern_size(m->keys);
	struct framecache_symbol *s;
	struct str name;

	m->key.len = 0;
	buf_add(&m->key, &module.len, sizeof(module.len));
	buf_str(&m->key, module);
	buf_str(&m->key, function);
	id = intern_id(m->keys, buf_slice(&m->key));
	if (id < n)
		return m->symbol[id];
	m->symbol = mem_grow(m->symbol, &m->symbol_cap, (size_t)id + 1,
			     sizeof(struct framecache_symbol *));
	s = m->symbol[id] = arena_alloc(&m->symbols, sizeof(*s));
	name = str_skip(intern_name(m->keys, id), sizeof(module.len));
	*s = (struct framecache_symbol){ .name = str_skip(name, module.len),
					 .module = { name.p, module.len },
					 .kind = perfframe_kind(module),
					 .token = { FRAMECACHE_NO_TOKEN,
						    FRAMECACHE_NO_TOKEN } };
	return s;
}

struct framecache_symbol *
framecache_symbol(const struct framecache *c, const struct framecache_frame *f,
		  uint64_t *addr)
{
	*addr = c->more->meaning[f->number].addr;
	return c->more->meaning[f->number].symbol;
}

uint64_t
framecache_offset(const struct framecache *c, const struct framecache_frame *f)
{
	return c->more->meaning[f->number].offset;
}

struct framecache_frame *
framecache_add(struct framecache *c, struct str text, const struct perfframe *f)
{
	struct framecache_more *m = c->more;
	size_t size = sizeof(struct framecache_frame) + text.len;
	/* A frame that does not fit is used once and never found again. */
	bool fits = text.len >= 16 && size < POOL_BYTES - c->used - 64;
	struct framecache_frame *new = fits ?
					   (void *)(c->pool + c->used) :
					   arena_alloc(&m->large, sizeof(*new));

	*new = (struct framecache_frame){ .token = { FRAMECACHE_NO_TOKEN,
						     FRAMECACHE_NO_TOKEN },
					  .number = (uint32_t)m->n };
	m->meaning = mem_grow(m->meaning, &m->cap, m->n + 1,
			      sizeof(*m->meaning));
	m->meaning[m->n++] = (struct cached_meaning){
		f->addr, f->offset, find_symbol(m, f->module, f->name)
	};
	if (!fits)
		return new;
	new->len = (uint32_t)text.len;
	memcpy(new->text, text.p, text.len);
	c->table[framecache_slot(c, text.p)] = (uint32_t)(c->used /
							  FRAMECACHE_UNIT);
	c->used += (size + FRAMECACHE_UNIT - 1) / FRAMECACHE_UNIT *
		   FRAMECACHE_UNIT;
	return new;
}

struct framecache_frame *
framecache_find(const struct framecache *c, uint32_t slot, const char *p,
		size_t len)
{
	struct framecache_frame *f = framecache_at(c, c->table[slot]);

	if (c->table[slot] == 0 || f->len != len)
		return NULL;
	if (len <= 128 ? framecache_equal(f->text, p, len, 8) :
			 memcmp(f->text, p, len) == 0)
		return f;
	return NULL;
}

void
framecache_join_outermost(struct framecache *c, const struct framecache *other)
{
	const uint32_t n = intern_size(other->more->keys);
	const struct framecache_symbol *s;
	uint32_t i;

	for (i = 0; i < n; i++) {
		s = other->more->symbol[i];
		if (s->outermost)
			find_symbol(c->more, s->module, s->name)->outermost =
			    true;
	}
}
