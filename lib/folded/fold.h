/* fold.h - the table that adds up equal stacks. */
#ifndef FOLD_H
#define FOLD_H

#include "base/intern.h"
#include "folded/foldout.h"

struct fold;

/* An empty table whose stacks have one or two counts. */
struct fold *fold_new(int counts);
void fold_free(struct fold *f); /* may be NULL */

/* The table of frame names, which the fold owns. */
struct intern *fold_names(struct fold *f);

/*
 * Add to the counts of a stack: n > 0 frames, root first, as numbers in
 * fold_names().  The first name must not begin with '#', which would make the
 * line a comment.  False if a sum has exceeded 64 bits in this call or in an
 * earlier one.
 */
bool fold_add(struct fold *f, const uint32_t *id, size_t n,
	      const struct count *count);

/*
 * The same, and return the place of the stack, which is not 0 and the same
 * until fold_clear().
 */
uint32_t fold_add_now(struct fold *f, const uint32_t *id, size_t n,
		      const struct count *count);

/* Add to the counts of the stack at a place. */
void fold_add_at(struct fold *f, uint32_t place, const struct count *count);

/* The number of different stacks. */
size_t fold_size(struct fold *f);

/* A stack in the table; the counts are valid until fold_add() adds a new one.
 */
struct fold_stack {
	const uint32_t *id; /* root first; valid until the next fold_next() */
	size_t n;
	const struct count *count;
	size_t place; /* for fold_drop() */
};

/*
 * Set *s to the next stack, in the order in which stacks were first added.
 * Start with *at = 0.  False after the last stack.
 */
bool fold_next(struct fold *f, size_t *at, struct fold_stack *s);

/* Approximate size of stacks and names in bytes. */
size_t fold_memory(const struct fold *f);

/* Remove all stacks but keep the names. */
void fold_clear(struct fold *f);

/*
 * Return a table of the same stacks, whose names are only theirs; the old one
 * and its names are freed.
 */
struct fold *fold_renew(struct fold *f);

/*
 * Remove a stack that fold_next() returned.  After that, call fold_clear()
 * before the next fold_add().
 */
void fold_drop(struct fold *f, const struct fold_stack *s);

/*
 * Add the stacks of a table that another thread has filled, and free it, now or
 * later.  Both have as many counts.
 */
void fold_join(struct fold *f, struct fold *from);

/* False if a sum exceeded 64 bits; ask before writing anything. */
bool fold_fits(struct fold *f);

/* Let several threads sort and print the stacks, if that pays. */
void fold_threads(struct fold *f, unsigned threads);

/*
 * Write the stacks as folded text, sorted by bytes as in folded(5).  Skip
 * stacks all of whose counts are below min.  After fold_join(), this is done
 * once.
 */
void fold_write(struct fold *f, struct count min, FILE *out);

/* The same with the caller's options; o->counts must be the table's. */
void fold_print(struct fold *f, struct foldout *o);

#endif
