/* hotspot_threads.h - the Java threads of a HotSpot. */
#ifndef HOTSPOT_THREADS_H
#define HOTSPOT_THREADS_H

#include "interp/hotspot_objects.h"
#include "interp/interp_language.h"

/* All zero is nothing. */
struct hotspot_threads {
	struct hotspot_objects objects;
	bool has_objects; /* the fields are known */
	unsigned tries;   /* to find them */
};

/* List the Java threads; block is the JavaThread, id its OSThread. */
void hotspot_threads_list(const struct hotspot_layout *l,
			  struct interp_copy *memory, struct interp_list *list);

/*
 * The fields of Java objects; NULL if they are not known yet, or cannot be
 * found.
 */
const struct hotspot_objects *
hotspot_threads_objects(struct hotspot_threads *t,
			const struct hotspot_layout *l,
			struct interp_copy *memory);

/*
 * Whether a JavaThread is still that of this thread; otherwise it has ended,
 * and its memory may be another's.  Reads what else is asked of it, too.
 */
bool hotspot_threads_has(const struct hotspot_layout *l,
			 struct interp_copy *memory,
			 const struct interp_listed *thread);

/* The java.lang.Thread of a JavaThread; 0 if there is none. */
uint64_t hotspot_threads_object(const struct hotspot_layout *l,
				struct interp_copy *memory, uint64_t thread);

/* The object that a handle refers to; early JDKs had no handles. */
uint64_t hotspot_threads_resolve(const struct hotspot_layout *l,
				 struct interp_copy *memory, uint64_t handle);

/* Append the name that a thread has in Java; nothing if it cannot be read. */
void hotspot_threads_name(struct hotspot_threads *t,
			  const struct hotspot_layout *l,
			  struct interp_copy *memory,
			  const struct interp_listed *thread, struct buf *name);

#endif
