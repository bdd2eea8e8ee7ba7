/* hotspot_objects.h - fields of Java objects in the heap of a HotSpot. */
#ifndef HOTSPOT_OBJECTS_H
#define HOTSPOT_OBJECTS_H

#include "interp/hotspot_layout.h"

/*
 * Objects move while the process runs, so that what is read may be anything:
 * check it.
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

/*
 * The address that a reference of 8 bytes refers to.  References of the
 * generational ZGC have other bits, too.
 */
uint64_t hotspot_objects_plain(uint64_t reference);

/* Read a reference at an address; false if it is null or odd. */
bool hotspot_objects_reference(const struct hotspot_objects *o,
			       struct interp_copy *memory, uint64_t address,
			       uint64_t *object);

/* The class of an object, a Klass*; 0 if it cannot be read. */
uint64_t hotspot_objects_class(const struct hotspot_objects *o,
			       struct interp_copy *memory, uint64_t object);

/* The same by the first two words of the object. */
uint64_t hotspot_objects_class_of(const struct hotspot_objects *o,
				  uint64_t first, uint64_t second);

/*
 * The offset of a field of a class by its name; 0 if there is none.  Fields of
 * its superclasses are not among them.
 */
uint32_t hotspot_objects_field(const struct hotspot_layout *l,
			       struct interp_copy *memory, uint64_t klass,
			       const char *name);

/* The same, also of superclasses. */
uint32_t hotspot_objects_member(const struct hotspot_layout *l,
				struct interp_copy *memory, uint64_t klass,
				const char *name);

/* Whether a class has a name: "java/lang/Thread". */
bool hotspot_objects_is(const struct hotspot_layout *l,
			struct interp_copy *memory, uint64_t klass,
			struct str name);

/* Append the name of a class; nothing if it cannot be read. */
void hotspot_objects_class_name(const struct hotspot_layout *l,
				struct interp_copy *memory, uint64_t klass,
				struct buf *name);

/*
 * Read n bytes of many objects by as few calls as possible, one after the other
 * to *to.  Those that cannot be read are all zero.
 */
void hotspot_objects_read_all(struct interp_copy *memory,
			      const uint64_t *object, size_t count, size_t n,
			      char *to);

#endif
