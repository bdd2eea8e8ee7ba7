/* hotspot_methods.h - methods of a HotSpot: their names and lines. */
#ifndef HOTSPOT_METHODS_H
#define HOTSPOT_METHODS_H

#include "interp/hotspot_layout.h"
#include "interp/interp_functions.h"
#include "interp/interp_stack.h"

/* How a frame came to be, which its name ends with; see folded(5). */
enum hotspot_tier {
	HOTSPOT_TIER_NONE,
	HOTSPOT_TIER_INTERPRETED,
	HOTSPOT_TIER_LOW, /* C1 */
	HOTSPOT_TIER_TOP, /* C2, and wrappers of native methods */
	HOTSPOT_TIER_INLINED,
	HOTSPOT_TIERS
};

struct hotspot_methods;

struct hotspot_methods *hotspot_methods_new(const struct hotspot_layout *l);
void hotspot_methods_free(struct hotspot_methods *all);

/*
 * From now on, names and lines of a method that is known are found without
 * reading memory: hotspot_methods_has() is called for methods of each frame
 * that may be others by now.
 */
void hotspot_methods_trust(struct hotspot_methods *all);

/*
 * Whether there is a method at an address; *code is the address of its
 * bytecodes and *size their number of bytes.
 */
bool hotspot_methods_has(struct hotspot_methods *all,
			 struct interp_copy *memory, uint64_t method,
			 uint64_t *code, uint32_t *size);

/* The function of a method in a tier; its name is [unknown] if it is gone. */
uint32_t hotspot_methods_function(struct hotspot_methods *all,
				  struct interp_copy *memory,
				  struct interp_functions *functions,
				  uint64_t method, enum hotspot_tier tier);

/* "java/lang/Thread.run"; empty if it is unknown.  Valid until the next call.
 */
struct str hotspot_methods_name(struct hotspot_methods *all,
				struct interp_copy *memory, uint64_t method);

/* The line of a bytecode; 0 if it is unknown. */
uint32_t hotspot_methods_line(struct hotspot_methods *all,
			      struct interp_copy *memory, uint64_t method,
			      int64_t bci);

/* Whether a method was named that runs virtual threads. */
bool hotspot_methods_has_virtual(const struct hotspot_methods *all);

/* The mark of a tier in a name, "_[j]", or nothing. */
struct str hotspot_methods_mark(enum hotspot_tier tier);

#endif
