/* deflate.h - compress and decompress in the formats of zlib and gzip. */
#ifndef DEFLATE_H
#define DEFLATE_H

#include "base/buf.h"

/*
 * Decompress s and append it.  False if s is damaged, or if out gets longer
 * than max bytes.
 */
bool deflate_inflate(struct buf *out, struct str s, size_t max);

/*
 * Write a gzip file in parts; deterministic for the same parts.  A failed write
 * ends the program with status 2.
 */
struct gzip;

struct gzip *deflate_gzip_new(FILE *out);
void deflate_gzip_add(struct gzip *g, struct str s);
void deflate_gzip_end(struct gzip *g); /* finish the file and free g */

#endif
