/* stackcache.h - a cache of whole stacks of perf script text, by their bytes.
 */
#ifndef STACKCACHE_H
#define STACKCACHE_H

#include "base/paragraph.h"
#include "perfscript/framecache.h"
#include "reader/sink.h"

/*
 * In many recordings most samples repeat an earlier stack.  The cache finds
 * the frames of all lines at once by their hash, and then compares every byte.
 *
 * Each hash has one place, so no input can make look-ups slow.
 */
struct stackcache;

/* Frame lines that follow each other; lives as long as the generation. */
struct stackcache_stack {
	struct sink_memo memo; /* the caller's, zero at first */
	uint32_t len;          /* of the text, which follows the frames */
	uint32_t n;
	int flavour;
	struct framecache_frame *frame[];
};

struct stackcache *stackcache_new(void);
void stackcache_free(struct stackcache *c);

/*
 * Start to load the memory that stackcache_find() reads: of many stacks the
 * first part, then the second.
 */
void stackcache_touch(const struct stackcache *c,
		      const struct paragraph *lines);
void stackcache_prefetch(const struct stackcache *c,
			 const struct paragraph *lines);

/* The stack of these lines in a flavour, NULL if it is not cached. */
struct stackcache_stack *stackcache_find(const struct stackcache *c,
					 const struct paragraph *lines,
					 int flavour);

/* Store the frames of lines that are not cached. */
void stackcache_add(struct stackcache *c, const struct paragraph *lines,
		    int flavour, struct framecache_frame *const *frame,
		    size_t n);

/* A number that changes when all stacks are forgotten. */
uint64_t stackcache_generation(const struct stackcache *c);

/* Forget all stacks, because their frames are no longer valid. */
void stackcache_clear(struct stackcache *c);

#endif
