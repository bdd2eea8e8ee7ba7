/* hotspot_objects.h - fields of Java objects in the heap of a HotSpot. */
#ifndef HOTSPOT_OBJECTS_H
#define HOTSPOT_OBJECTS_H

#include "interp/hotspot_layout.h"

/*
 * Objects move while the process runs, so that what is read may be anything:
 * check it.  Objects of the generational ZGC cannot be read: its references
 * have other bits than their addresses.
 */
struct hotspot_objects {
	uint32_t thread_name, string_value, string_coder; /* offsets */
	uint32_t thread_blocker;                          /* parkBlocker */
	uint32_t thread_block; /* eetop: its JavaThread */
	uint8_t reference;     /* bytes: 4 or 8 */
	uint64_t base;         /* of references of 4 bytes */
	uint32_t shift;        /* the same */
	uint32_t length;       /* offset of the length of an array */
	uint32_t elements;     /* offset of the elements of an array of bytes */
	uint64_t class_base;   /* of references to classes, but for those of 8
				  bytes */
	uint32_t class_shift;  /* the same */
};

/*
 * Find the fields of java.lang.Thread and java.lang.String; false if they
 * cannot be found yet, or at all.
 */
bool hotspot_objects_read(struct hotspot_objects *o,
			  const struct hotspot_layout *l,
			  struct interp_copy *memory);

/*
 * Append the name of a java.lang.Thread as UTF-8; false, and nothing is
 * appended, if it cannot be read.
 */
bool hotspot_objects_thread_name(const struct hotspot_objects *o,
				 struct interp_copy *memory, uint64_t thread,
				 struct buf *name);

/* Read a reference at an address; false if it is null or odd. */
bool hotspot_objects_reference(const struct hotspot_objects *o,
			       struct interp_copy *memory, uint64_t address,
			       uint64_t *object);

/* The class of an object, a Klass*; 0 if it cannot be read. */
uint64_t hotspot_objects_class(const struct hotspot_objects *o,
			       struct interp_copy *memory, uint64_t object);

/*
 * The offset of a field of a class by its name; 0 if there is none.  Fields of
 * its superclasses are not among them.
 */
uint32_t hotspot_objects_field(const struct hotspot_layout *l,
			       struct interp_copy *memory, uint64_t klass,
			       const char *name);

#endif
