/* deflate_whole.h - compress data that is all in memory. */
#ifndef DEFLATE_WHOLE_H
#define DEFLATE_WHOLE_H

#include "base/buf.h"

/*
 * Compress s in zlib format and append it.  Large data are compressed less
 * thoroughly.  Deterministic for a version of libdeflate.
 */
void deflate_whole(struct buf *out, struct str s);

#endif
