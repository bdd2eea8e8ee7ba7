/* regex.h - Perl's regular expressions, of PCRE2. */
#ifndef REGEX_H
#define REGEX_H

#include "buf.h"

struct regex;

/*
 * Compile a pattern, which is UTF-8; fold says that case does not matter.
 * NULL, with the reason appended to *why, if it is no regular expression.
 */
struct regex *regex_new(struct str pattern, bool fold, struct buf *why);
void regex_free(struct regex *r);

/*
 * Whether the pattern is found in s.  A search that takes too long, or text
 * that is not UTF-8, finds nothing.
 */
bool regex_match(const struct regex *r, struct str s);

#endif
