/* utf8.h - text that is safe to print: valid UTF-8 without controls. */
#ifndef UTF8_H
#define UTF8_H

#include "buf.h"

/*
 * Length of the well-formed UTF-8 sequence at p, which must be below end; 0
 * if there is none (overlong forms, surrogates and what lies beyond U+10FFFF
 * are not well-formed).
 */
size_t utf8_length(const char *p, const char *end);

/* The character of such a sequence, of n bytes. */
uint32_t utf8_char(const char *p, size_t n);

/* No control character (C0, DEL, C1) and no invalid byte in s. */
bool utf8_isclean(struct str s);

/*
 * Append s with each byte of an invalid sequence and each control character
 * as \xNN, lower case, so that it can go to a file, a picture or a terminal.
 */
void utf8_escape(struct buf *out, struct str s);

#endif
