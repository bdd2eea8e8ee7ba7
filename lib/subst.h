/* subst.h - s/PATTERN/REPLACEMENT/, as Perl and sed have it. */
#ifndef SUBST_H
#define SUBST_H

#include "buf.h"

struct regex;
struct subst;

/*
 * Read "s/PATTERN/REPLACEMENT/" with the flags g (all places, not only the
 * first) and i (case does not matter) behind it.  A slash in it is written \/.
 * In the replacement $1 or \1, ${1}, and $& or $0 stand for what the pattern
 * found, and another byte behind a backslash for itself.
 *
 * If it is not of that form, NULL, with the reason appended to *why and in
 * *offset the place in text where it shows.
 */
struct subst *subst_new(struct str text, struct buf *why, size_t *offset);
void subst_free(struct subst *s);

/*
 * Append name with the replacements made to *out; false, and *out as it was,
 * if the pattern is not found.
 */
bool subst_apply(struct subst *s, struct str name, struct buf *out);

/* Its pattern, to ask whether a search was given up. */
const struct regex *subst_regex(const struct subst *s);

#endif
