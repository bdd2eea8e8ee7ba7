/* unzstd.h - decompress zstd, by libzstd. */
#ifndef UNZSTD_H
#define UNZSTD_H

#include "base/buf.h"

/* A stream of compressed data that comes in pieces. */
struct unzstd;

struct unzstd *unzstd_new(void);
void unzstd_free(struct unzstd *z);

/* Start over with a new stream. */
void unzstd_reset(struct unzstd *z);

/*
 * Decompress the next piece and append it.  False if the piece is damaged, or
 * if the result is longer than max bytes; the bytes appended so far stay.
 */
bool unzstd_feed(struct unzstd *z, struct str piece, size_t max,
		 struct buf *out);

/*
 * Decompress all of in to out, which has room for out_size bytes.  False if it
 * is damaged or the result has another size.
 */
bool unzstd_all(struct str in, void *out, size_t out_size);

#endif
