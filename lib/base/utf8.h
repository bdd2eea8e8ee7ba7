/* utf8.h - check and escape text: valid UTF-8 without control characters. */
#ifndef UTF8_H
#define UTF8_H

#include "base/buf.h"

/*
 * Length of the well-formed UTF-8 sequence at p, which is before end; 0 if
 * there is none.  Overlong forms, surrogates and code points beyond U+10FFFF
 * are not well-formed.
 */
size_t utf8_length(const char *p, const char *end);

/* The code point of a well-formed sequence of n bytes. */
uint32_t utf8_char(const char *p, size_t n);

/*
 * Append the UTF-8 of a code point up to U+10FFFF.  Half of a surrogate pair
 * gives bytes that are not well-formed.
 */
void utf8_put(struct buf *out, uint32_t c);

/* Whether s has no control characters (C0, DEL, C1) and no invalid bytes. */
bool utf8_isclean(struct str s);

/*
 * Append s, with control characters and bytes of invalid sequences as \xNN in
 * lower case: safe for a file, a picture or a terminal.
 */
void utf8_escape(struct buf *out, struct str s);

#endif
