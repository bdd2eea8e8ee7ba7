/* base64.h - bytes as text that needs no escaping anywhere. */
#ifndef BASE64_H
#define BASE64_H

#include "buf.h"

/* Append s encoded, with padding, on one line. */
void base64_encode(struct buf *out, struct str s);

/* Append s decoded, white space ignored; false at the first other byte. */
bool base64_decode(struct buf *out, struct str s);

#endif
