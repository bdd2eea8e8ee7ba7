/* cpython_objects.h - modules, attributes and dictionaries of CPython. */
#ifndef CPYTHON_OBJECTS_H
#define CPYTHON_OBJECTS_H

#include "interp/cpython_layout.h"
#include "interp/interp_copy.h"

/*
 * Objects are read while the process runs, so they may change meanwhile.
 * Functions return an object's address, or 0 if there is none.
 */
struct cpython_objects {
	const struct cpython_layout *l;
	struct interp_copy *memory; /* counts and bounds what is read */
	struct buf table;           /* scratch; the caller frees it */
};

/* A pointer in memory. */
uint64_t cpython_objects_pointer(struct cpython_objects *o, uint64_t address);

/* The dictionary of a module that an interpreter has imported. */
uint64_t cpython_objects_module(struct cpython_objects *o, uint64_t interpreter,
				struct str name);

/* The value of a dictionary at a str of ASCII characters, or at an int. */
uint64_t cpython_objects_find(struct cpython_objects *o, uint64_t dictionary,
			      struct str key);
uint64_t cpython_objects_find_int(struct cpython_objects *o,
				  uint64_t dictionary, uint64_t key);

/* An attribute of an object itself, not of its class. */
uint64_t cpython_objects_attribute(struct cpython_objects *o, uint64_t object,
				   struct str name);

/*
 * Whether a class is the interpreter's own of this name; or with bases, whether
 * it or one of its base classes has this name.
 */
bool cpython_objects_is(struct cpython_objects *o, uint64_t type,
			struct str name, bool bases);

#endif
