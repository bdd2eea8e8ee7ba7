/* regex.h - Perl-compatible regular expressions, by PCRE2. */
#ifndef REGEX_H
#define REGEX_H

#include "base/buf.h"

struct regex;

/*
 * Compile a pattern, which is UTF-8.  If the pattern is wrong, returns NULL,
 * appends the reason to *why and sets *offset to the place of the error in the
 * pattern, in bytes.
 */
struct regex *regex_new(struct str pattern, bool ignore_case, struct buf *why,
			size_t *offset);
void regex_free(struct regex *r);

/*
 * Whether s contains a match.  False if s is not UTF-8, or if the search takes
 * too long: then it is aborted, and counted.  After 50 aborted searches PCRE2
 * is not called any more, and every further search counts as aborted.  Callers
 * must check regex_aborted() at the end.
 */
bool regex_match(struct regex *r, struct str s);

/*
 * Like regex_match(), for text that is known to be UTF-8, and for matches that
 * start at the offset or after it.  The offset is the start of a character or
 * the end of s.
 */
bool regex_find(struct regex *r, struct str s, size_t offset);

/* The number of groups in the pattern. */
unsigned regex_groups(const struct regex *r);

/*
 * The text of a group in the last match; group 0 is the whole match.  Empty if
 * the group has no part in the match.  Points into the text that was searched.
 */
struct str regex_group(const struct regex *r, unsigned group);

/*
 * The number of aborted searches.  Unless it is 0, appends a message to *why,
 * with the first 80 bytes of the first text, escaped.
 */
uint64_t regex_aborted(const struct regex *r, struct buf *why);

#endif
