/* intern.h - a table that gives each name a number. */
#ifndef INTERN_H
#define INTERN_H

#include "str.h"

struct intern;

struct intern *intern_new(void);
void intern_free(struct intern *t);

/*
 * The number of a name: 0, 1, 2 ... in the order of first appearance.  The
 * table keeps a copy.  Names are bytes; empty is a name too.
 */
uint32_t intern_id(struct intern *t, struct str name);

/*
 * The same for n names at once, which is faster: while one is compared, the
 * next ones are on their way from memory.
 */
void intern_ids(struct intern *t, const struct str *name, size_t n,
		uint32_t *id);

/*
 * The same in steps, for those who have other work to do while memory is on
 * its way: id is first the names' hashes, then their numbers.
 */
void intern_hash(const struct intern *t, const struct str *name, size_t n,
		 uint32_t *id);
void intern_seek(const struct intern *t, const uint32_t *id, size_t n);
void intern_take(struct intern *t, const struct str *name, size_t n,
		 uint32_t *id);

/* The number of a name that is there; false if it is not, nor is it added. */
bool intern_find(const struct intern *t, struct str name, uint32_t *id);

/* The name of a number, NUL behind it, valid as long as the table. */
struct str intern_name(const struct intern *t, uint32_t id);

/* How many names there are. */
uint32_t intern_size(const struct intern *t);

/* About how many bytes it takes. */
size_t intern_memory(const struct intern *t);

#endif
