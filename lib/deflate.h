/* deflate.h - compression in the zlib format. */
#ifndef DEFLATE_H
#define DEFLATE_H

#include "buf.h"

/* Append s compressed; the same bytes for the same s and zlib. */
void deflate_add(struct buf *out, struct str s);

/*
 * Append what s was before it was compressed.  False if s is damaged; memory
 * grows with what really comes out.
 */
bool inflate_add(struct buf *out, struct str s);

#endif
