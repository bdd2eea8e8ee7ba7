/* zstd.h - compress and decompress zstd, by libzstd. */
#ifndef CODEC_ZSTD_H
#define CODEC_ZSTD_H

#include "base/buf.h"

/* A stream of compressed data that comes in pieces. */
struct zstd_unpack;

struct zstd_unpack *zstd_unpack_new(void);
void zstd_unpack_free(struct zstd_unpack *z);

/* Start over with a new stream. */
void zstd_unpack_reset(struct zstd_unpack *z);

/*
 * Decompress the next piece and append it.  False if the piece is damaged, or
 * if the result is longer than max bytes; the bytes appended so far stay.
 */
bool zstd_unpack_feed(struct zstd_unpack *z, struct str piece, size_t max,
		      struct buf *out);

/*
 * Decompress all of in to out, which has room for out_size bytes.  False if it
 * is damaged or the result has another size.
 */
bool zstd_unpack_all(struct str in, void *out, size_t out_size);

/* A stream that is compressed in pieces. */
struct zstd_pack;

struct zstd_pack *zstd_pack_new(void);
void zstd_pack_free(struct zstd_pack *z);

/*
 * Compress the next piece and append the result, which a reader can decompress
 * up to the end of the piece.  The result is at most 1 KB longer than a piece
 * of 64 KB.  Ends the program if there is no memory.
 */
void zstd_pack_add(struct zstd_pack *z, struct str piece, struct buf *out);

#endif
