/* dread.h - reading names of D. */
#ifndef DREAD_H
#define DREAD_H

#include "buf.h"

/*
 * What reads a part of a name takes what is at p, appends to out what it says,
 * and returns false if it is something else, or too much; who tries it again
 * as something else goes back.
 */
struct dread {
	const char *start, *p, *end;
	const char *last; /* only references before it are followed */
	struct buf *out;
	size_t qualified; /* where in out the name with its scopes begins */
	size_t limit;     /* of out */
	unsigned steps, depth;
};

/* The character that is so far ahead; NUL behind the end. */
char dread_peek(const struct dread *n, size_t ahead);
bool dread_is(const struct dread *n, struct str what);
bool dread_take(struct dread *n, char c);
bool dread_number(struct dread *n, size_t *found);

void dread_put(struct dread *n, const char *s);

/* Put what was appended from a on, up to m, behind what was appended then. */
void dread_rotate(struct dread *n, size_t a, size_t m);

/*
 * Before each part that may have others in it; false if there were too many, or
 * if too much was appended.  Whoever was let in takes one from the depth then.
 */
bool dread_step(struct dread *n);

/* What a reference at p, to what was named before, is to; NULL if nothing. */
const char *dread_reference(struct dread *n);

/* Read, as a type or as a part of one, what a reference at p is to. */
bool dread_referred(struct dread *n, bool (*read)(struct dread *));

#endif
