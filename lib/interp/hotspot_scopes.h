/* hotspot_scopes.h - which methods compiled code executes at an address. */
#ifndef HOTSPOT_SCOPES_H
#define HOTSPOT_SCOPES_H

#include "interp/hotspot_bodies.h"

/* A method and a place in it. */
struct hotspot_scope {
	uint64_t method; /* Method* */
	int32_t bci;     /* index of a bytecode; negative: unknown */
};

enum { HOTSPOT_SCOPES_MAX = 512 };

/* The scopes of an address; those after the first inline one another. */
struct hotspot_scopes {
	const struct hotspot_scope *scope; /* leaf first */
	size_t n;
	bool is_new; /* not found before: the methods may be others */
};

struct hotspot_inlining;

/* All zero is empty; release with hotspot_scopes_free(). */
struct hotspot_scope_cache {
	struct hotspot_inlining *known;
	struct hotspot_bodies bodies;
	struct buf pcs; /* scratch */
};

void hotspot_scopes_free(struct hotspot_scope_cache *c);

/*
 * Find the methods that code of a blob executes at a return address, or with
 * exact, at any pc; the outermost is the method that was compiled.  Empty if
 * it is not described.
 *
 * HotSpot describes only the addresses where it may stop.  Between two of them
 * this returns the scopes that both have in common: an inlined method of only
 * one may not have begun, or may have ended.
 */
struct hotspot_scopes hotspot_scopes_find(struct hotspot_scope_cache *c,
					  const struct hotspot_layout *l,
					  struct interp_copy *memory,
					  const struct hotspot_blob *b,
					  uint64_t pc, bool exact);

/* Whether code of a blob is described at exactly this address. */
bool hotspot_scopes_has(struct hotspot_scope_cache *c,
			const struct hotspot_layout *l,
			struct interp_copy *memory,
			const struct hotspot_blob *b, uint64_t pc);

/*
 * Decode a number of HotSpot's UNSIGNED5 encoding at *p, which moves behind it;
 * excess is what each byte is increased by: 1 from JDK 20 on, 0 before.  False
 * if it does not end before end.
 */
bool hotspot_scopes_number(const char **p, const char *end, unsigned excess,
			   uint32_t *n);

/* The JVM adds this to each byte of such a number. */
static inline unsigned
hotspot_scopes_excess(const struct hotspot_layout *l)
{
	return l->version >= 20;
}

#endif
