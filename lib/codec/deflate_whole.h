/* deflate_whole.h - compress and decompress data that is all in memory. */
#ifndef DEFLATE_WHOLE_H
#define DEFLATE_WHOLE_H

#include "base/buf.h"

/*
 * Compress s in zlib format and append it.  Large data are compressed less
 * thoroughly.  Deterministic for a version of libdeflate.
 */
void deflate_whole(struct buf *out, struct str s);

/*
 * Decompress data in zlib format to out, which has room for size bytes.  False
 * if it is damaged or the result has another size.
 */
bool deflate_whole_inflate(struct str s, void *out, size_t size);

#endif
