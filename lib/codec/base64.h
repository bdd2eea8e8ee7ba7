/* base64.h - encode and decode base64. */
#ifndef BASE64_H
#define BASE64_H

#include "base/buf.h"

/* Append s in base64, with padding, on one line. */
void base64_encode(struct buf *out, struct str s);

/*
 * Decode s and append the bytes.  Ignores white space and padding.  False at
 * any other byte; the bytes before it stay.
 */
bool base64_decode(struct buf *out, struct str s);

#endif
