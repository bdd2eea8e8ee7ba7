/* demangle_cache.c - a cache of demangled names. */
#include "demangle/demangle_cache.h"

#include "base/arena.h"
#include "base/intern.h"
#include "base/mem.h"
#include "demangle/demangle.h"

#include <stdlib.h>

struct demangle_cache {
	bool keep_mangled;
	struct intern *mangled;
	struct str *readable; /* by the number of the mangled name */
	size_t cap;
	struct arena arena;
	struct buf text;
};

struct demangle_cache *
demangle_cache_new(bool keep_mangled)
{
	struct demangle_cache *c = mem_zero(1, sizeof(*c));

	c->keep_mangled = keep_mangled;
	c->mangled = intern_new();
	return c;
}

struct demangle_cache *
demangle_cache_fork(const struct demangle_cache *c)
{
	return demangle_cache_new(c->keep_mangled);
}

void
demangle_cache_free(struct demangle_cache *c)
{
	intern_free(c->mangled);
	free(c->readable);
	arena_free(&c->arena);
	buf_free(&c->text);
	free(c);
}

struct str
demangle_cache_name(struct demangle_cache *c, struct str name)
{
	const uint32_t n = intern_size(c->mangled);
	uint32_t i;

	if (c->keep_mangled)
		return name;
	i = intern_id(c->mangled, name);
	if (i < n)
		return c->readable[i];
	c->readable = mem_grow(c->readable, &c->cap, (size_t)n + 1,
			       sizeof(*c->readable));
	c->text.len = 0;
	c->readable[n] = demangle(&c->text, name) ?
			     arena_str(&c->arena, buf_slice(&c->text)) :
			     intern_name(c->mangled, n);
	return c->readable[n];
}
