/* regex.h - Perl's regular expressions, of PCRE2. */
#ifndef REGEX_H
#define REGEX_H

#include "buf.h"

struct regex;

/*
 * Compile a pattern, which is UTF-8; fold says that case does not matter.
 * If it is no regular expression, NULL, with the reason appended to *why and
 * in *offset the place in the pattern, in bytes, where reading it stopped.
 */
struct regex *regex_new(struct str pattern, bool fold, struct buf *why,
			size_t *offset);
void regex_free(struct regex *r);

/*
 * Whether the pattern is found in s.  Text that is not UTF-8 has nothing, and
 * neither has text in which the search takes too long: it is given up, and
 * after some of these the pattern is not searched for any more.
 */
bool regex_match(struct regex *r, struct str s);

/*
 * The same for text that is known to be UTF-8, and for matches that begin at
 * byte from or behind it, which is where a character begins, or the end.
 */
bool regex_find(struct regex *r, struct str s, size_t from);

/* How many pairs of parentheses there are whose text can be asked for. */
unsigned regex_groups(const struct regex *r);

/*
 * What the last search that found something found: the whole for 0, else what
 * stands in that pair of parentheses, empty if nothing does.  It is a part of
 * the text that was searched.
 */
struct str regex_group(const struct regex *r, unsigned group);

/*
 * Whether a search was given up; then *text is the first text it was for,
 * valid as long as r.
 */
bool regex_gave_up(const struct regex *r, struct str *text);

#endif
