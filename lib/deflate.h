/* deflate.h - compression in the formats of zlib and gzip. */
#ifndef DEFLATE_H
#define DEFLATE_H

#include "buf.h"

/* Append s compressed; the same bytes for the same s and zlib. */
void deflate_add(struct buf *out, struct str s);

/*
 * Append what s was before it was compressed.  False if s is damaged, or if
 * out is longer than most then; memory grows with what really comes out.
 */
bool inflate_add(struct buf *out, struct str s, size_t most);

/*
 * A file in the format of gzip, written a part at a time; the same bytes for
 * the same parts.  A failed write shows in ferror(out).
 */
struct gzip;

struct gzip *gzip_new(FILE *out);
void gzip_add(struct gzip *g, struct str s);
void gzip_end(struct gzip *g); /* and release it */

#endif
