/* subst.h - s/PATTERN/REPLACEMENT/ as in Perl and sed. */
#ifndef SUBST_H
#define SUBST_H

#include "base/buf.h"

struct regex;
struct subst;

/*
 * Parse "s/PATTERN/REPLACEMENT/FLAGS".  The flag g replaces all matches instead
 * of the first, and i ignores case.  A slash is written \/.  In the
 * replacement, $1, \1 and ${1} are the text of a group, $& and $0 the whole
 * match, and a backslash before another byte stands for that byte.
 *
 * If text is something else, returns NULL, appends the reason to *why and sets
 * *offset to the place of the error in text.
 */
struct subst *subst_new(struct str text, struct buf *why, size_t *offset);
void subst_free(struct subst *s);

/*
 * Append the text after substitution to *out.  Returns false and appends
 * nothing if the pattern does not match.
 */
bool subst_apply(struct subst *s, struct str text, struct buf *out);

/* The pattern, for regex_aborted(). */
const struct regex *subst_regex(const struct subst *s);

#endif
