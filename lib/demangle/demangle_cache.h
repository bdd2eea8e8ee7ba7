/* demangle_cache.h - a cache of demangled names. */
#ifndef DEMANGLE_CACHE_H
#define DEMANGLE_CACHE_H

#include "base/str.h"

struct demangle_cache;

/* If keep_mangled is set, the cache returns all names unchanged. */
struct demangle_cache *demangle_cache_new(bool keep_mangled);

/* An empty cache of the same kind. */
struct demangle_cache *demangle_cache_fork(const struct demangle_cache *c);
void demangle_cache_free(struct demangle_cache *c);

/*
 * The demangled form of a name, or the name itself if it is not mangled.  Valid
 * as long as the cache; with keep_mangled, as long as the name.
 */
struct str demangle_cache_name(struct demangle_cache *c, struct str name);

#endif
