/* headcache.h - a cache of parsed head lines of perf script samples. */
#ifndef HEADCACHE_H
#define HEADCACHE_H

#include "perfscript/perfline.h"

/*
 * The heads of one thread differ in the time and perhaps in the period.  The
 * cache parses the rest once.
 */
struct headcache;

struct headcache *headcache_new(void);
void headcache_free(struct headcache *c);

/*
 * Parse a head as perfline_head() does; NULL if the line is no head.  The head
 * belongs to the cache and is valid until the next call, even if the line goes
 * away.  The first 16 bytes at the start of the line must be readable.
 */
const struct perfline_head *headcache_read(struct headcache *c,
					   struct str line);

#endif
