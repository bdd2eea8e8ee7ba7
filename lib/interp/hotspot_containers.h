/* hotspot_containers.h - the virtual threads that a HotSpot has lists of. */
#ifndef HOTSPOT_CONTAINERS_H
#define HOTSPOT_CONTAINERS_H

#include "interp/hotspot_threads.h"

struct hotspot_containers;

/* The layout is the caller's. */
struct hotspot_containers *
hotspot_containers_new(const struct hotspot_layout *l);
void hotspot_containers_free(struct hotspot_containers *all);

/*
 * Read all lists of threads, and sort the addresses of their objects, which are
 * in *n and returned; valid until the next call.  Some may be no virtual
 * threads, or have ended.  now is in ns.
 */
const uint64_t *hotspot_containers_read(struct hotspot_containers *all,
					const struct hotspot_objects *o,
					struct interp_copy *memory,
					uint64_t now, size_t *n);

/*
 * Assume that an address is the class of all lists, and place each field by its
 * name alone.  For memory that has no descriptions of classes: a fuzz target's.
 */
void hotspot_containers_assume(struct hotspot_containers *all, uint64_t klass);

/*
 * Whether threads that no executor has started are in no list: by the property
 * jdk.trackAllThreads.
 */
bool hotspot_containers_is_partial(const struct hotspot_containers *all);

#endif
