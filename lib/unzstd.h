/* unzstd.h - decompression by libzstd; its .c is the only one to see it. */
#ifndef UNZSTD_H
#define UNZSTD_H

#include "buf.h"

/* A stream that is fed piece by piece. */
struct unzstd;

struct unzstd *unzstd_new(void);
void unzstd_free(struct unzstd *z);

/* Begin a new stream. */
void unzstd_reset(struct unzstd *z);

/*
 * Append what the next piece holds.  False if it is spoilt, or if it would
 * give more than max bytes; what was appended until then stays.
 */
bool unzstd_feed(struct unzstd *z, struct str piece, size_t max,
		 struct buf *out);

/*
 * Decompress all of in, whose size is known to be out_size, into out.  False
 * if it is spoilt or of another size.
 */
bool unzstd_all(struct str in, void *out, size_t out_size);

#endif
