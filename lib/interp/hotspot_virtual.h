/* hotspot_virtual.h - virtual threads of a HotSpot that no thread runs. */
#ifndef HOTSPOT_VIRTUAL_H
#define HOTSPOT_VIRTUAL_H

#include "interp/hotspot_threads.h"
#include "interp/hotspot_walk.h"

struct hotspot_virtual;

/* The walker is the caller's. */
struct hotspot_virtual *hotspot_virtual_new(struct hotspot_walker *w);
void hotspot_virtual_free(struct hotspot_virtual *all);

/* A virtual thread. */
struct hotspot_virtual_thread {
	uint64_t address; /* its java.lang.Thread */
	uint64_t id;      /* its threadId() */
	bool ready;       /* it is to run; otherwise it waits */
	struct str wait;  /* what it waits for: "park"; or empty */
	uint64_t lock;    /* the object that it is parked for, or 0 */
};

/*
 * Begin to read all virtual threads.  Both are borrowed until the last
 * hotspot_virtual_next().  now is in ns.
 */
void hotspot_virtual_begin(struct hotspot_virtual *all,
			   const struct hotspot_objects *o,
			   const struct interp_reader *reader, uint64_t now);

/*
 * Read the next one that no thread runs; its frames replace those of the stack,
 * leaf first.  False at the end.
 */
bool hotspot_virtual_next(struct hotspot_virtual *all, struct interp_stack *s,
			  struct hotspot_virtual_thread *t);

/* How many changed while they were read. */
size_t hotspot_virtual_unread(const struct hotspot_virtual *all);

/* Whether only threads of executors are in the lists of the VM. */
bool hotspot_virtual_is_partial(const struct hotspot_virtual *all);

#endif
