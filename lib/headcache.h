/* headcache.h - heads of perf script samples, recognised when they recur. */
#ifndef HEADCACHE_H
#define HEADCACHE_H

#include "perfline.h"

/*
 * The heads of one thread differ in the time, and perhaps the period; the rest
 * is understood once.
 */
struct headcache;

struct headcache *headcache_new(void);
void headcache_free(struct headcache *c);

/*
 * As perfline_head(), but the head is the cache's own, valid until the next
 * call, whatever becomes of the line; 16 bytes at its start must be readable.
 * NULL if the line is no head.
 */
const struct perfline_head *headcache_read(struct headcache *c,
					   struct str line);

#endif
