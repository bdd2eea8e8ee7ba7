/* fold.h - the table that adds up equal stacks. */
#ifndef FOLD_H
#define FOLD_H

#include "foldout.h"
#include "intern.h"

struct fold;

/* A table with one or two counts a stack. */
struct fold *fold_new(int counts);
void fold_free(struct fold *f);

/* The table of frame names, the fold's own. */
struct intern *fold_names(struct fold *f);

/*
 * Add to the counts of a stack, given as frame names of fold_names(), root
 * first; n is at least 1, and the first name does not begin with '#', which
 * would make the line a comment.  False once a sum would exceed 64 bits, in
 * this call or in one of those before.
 */
bool fold_add(struct fold *f, const uint32_t *id, size_t n,
	      const struct count *count);

/* How many stacks there are. */
size_t fold_size(struct fold *f);

/* A stack; valid until one that is not there yet is added. */
struct fold_stack {
	const uint32_t *id; /* root first */
	size_t n;
	const struct count *count;
};

/* The next stack, in no order, beginning with *at 0; false at the end. */
bool fold_next(struct fold *f, size_t *at, struct fold_stack *s);

/* About how many bytes the stacks and the names take. */
size_t fold_memory(const struct fold *f);

/* Forget the stacks, and keep the names. */
void fold_clear(struct fold *f);

/*
 * Leave out the stack that fold_next() gave when it set *at to this.  Nothing
 * more is added before fold_clear().
 */
void fold_drop(struct fold *f, size_t at);

/* Whether no sum exceeded 64 bits; ask before writing anything. */
bool fold_fits(struct fold *f);

/*
 * Write the stacks as folded text, sorted by bytes (folded(5)), but for
 * those whose counts are both below min.
 */
void fold_write(struct fold *f, struct count min, FILE *out);

/* The same in a form of its own; o->counts is that of the table. */
void fold_print(struct fold *f, struct foldout *o);

#endif
