/* hotspot_bodies.h - code of compiled methods of a HotSpot, and what describes
 * it, read as a whole. */
#ifndef HOTSPOT_BODIES_H
#define HOTSPOT_BODIES_H

#include "interp/hotspot_code.h"

/* A compiled method's memory; struct hotspot_blob has its addresses. */
struct hotspot_body {
	struct str code, pcs, scopes, metadata;
};

struct known_body;

/* All zero is empty; release with hotspot_bodies_free(). */
struct hotspot_bodies {
	struct known_body *known;
	size_t bytes; /* of all */
};

void hotspot_bodies_free(struct hotspot_bodies *all);

/*
 * The body of a method's blob; NULL if it is too large, or not all of it can be
 * read.  Bodies stay as they are for as long as the method has its number, but
 * for the targets of calls, and are cached.  Valid until the next call.
 */
const struct hotspot_body *hotspot_bodies_find(struct hotspot_bodies *all,
					       struct interp_copy *memory,
					       const struct hotspot_blob *b);

#endif
