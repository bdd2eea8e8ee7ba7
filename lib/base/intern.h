/* intern.h - table that assigns numbers to names. */
#ifndef INTERN_H
#define INTERN_H

#include "base/str.h"

struct intern;

struct intern *intern_new(void);
void intern_free(struct intern *t);

/*
 * The number of a name: 0, 1, 2 ... in the order of first use.  The table
 * copies new names.  A name is any bytes, also none.  More than 2^32 - 2 names
 * end the program with status 2.
 */
uint32_t intern_id(struct intern *t, struct str name);

/*
 * Like intern_id() for n names, but faster: prefetches the slots of the next
 * names while it compares one.
 */
void intern_ids(struct intern *t, const struct str *name, size_t n,
		uint32_t *id);

/*
 * Like intern_ids(), in three steps, for callers that do other work while
 * memory is prefetched.  The array id first holds the hashes of the names, then
 * their numbers.
 */
void intern_hash(const struct intern *t, const struct str *name, size_t n,
		 uint32_t *id);
void intern_prefetch(const struct intern *t, const struct str *name,
		     const uint32_t *id, size_t n);
void intern_insert(struct intern *t, const struct str *name, size_t n,
		   uint32_t *id);

/* Find the number of a name without adding it; false if it is not there. */
bool intern_find(const struct intern *t, struct str name, uint32_t *id);

/* The name of a number, followed by NUL.  Valid as long as the table. */
struct str intern_name(const struct intern *t, uint32_t id);

/* The number of names. */
uint32_t intern_size(const struct intern *t);

/* Memory use in bytes, about. */
size_t intern_memory(const struct intern *t);

#endif
