/* zstd.c - zstd; the only file that includes libzstd. */
#include "codec/zstd.h"

#include "base/mem.h"

#include <err.h>
#include <stdlib.h>
#include <zstd.h>

struct zstd_unpack {
	ZSTD_DStream *stream;
};

struct zstd_unpack *
zstd_unpack_new(void)
{
	struct zstd_unpack *z = mem_zero(1, sizeof(*z));

	z->stream = ZSTD_createDStream();
	if (z->stream == NULL)
		err(2, NULL);
	zstd_unpack_reset(z);
	return z;
}

void
zstd_unpack_free(struct zstd_unpack *z)
{
	if (z == NULL)
		return;
	ZSTD_freeDStream(z->stream);
	free(z);
}

void
zstd_unpack_reset(struct zstd_unpack *z)
{
	ZSTD_initDStream(z->stream);
	/* perf uses windows up to 8 MB; a hostile stream could demand 2 GB. */
	ZSTD_DCtx_setParameter(z->stream, ZSTD_d_windowLogMax, 27);
}

bool
zstd_unpack_feed(struct zstd_unpack *z, struct str piece, size_t max,
		 struct buf *out)
{
	ZSTD_inBuffer in = { piece.p, piece.len, 0 };
	ZSTD_outBuffer space;
	size_t limit = out->len + max, status;

	/* The stream may still have output when it consumed all input. */
	do {
		if (out->len > limit)
			return false;
		buf_reserve(out, ZSTD_DStreamOutSize());
		space = (ZSTD_outBuffer){ out->p + out->len,
					  out->cap - out->len, 0 };
		status = ZSTD_decompressStream(z->stream, &space, &in);
		if (ZSTD_isError(status))
			return false;
		out->len += space.pos;
	} while (in.pos < in.size || space.pos == space.size);
	return true;
}

bool
zstd_unpack_all(struct str in, void *out, size_t out_size)
{
	return ZSTD_decompress(out, out_size, in.p, in.len) == out_size;
}

struct zstd_pack {
	ZSTD_CCtx *stream;
};

/* The lowest level: a recorder competes with what it records. */
struct zstd_pack *
zstd_pack_new(void)
{
	struct zstd_pack *z = mem_zero(1, sizeof(*z));

	z->stream = ZSTD_createCCtx();
	if (z->stream == NULL)
		err(2, NULL);
	ZSTD_CCtx_setParameter(z->stream, ZSTD_c_compressionLevel, 1);
	return z;
}

void
zstd_pack_free(struct zstd_pack *z)
{
	if (z == NULL)
		return;
	ZSTD_freeCCtx(z->stream);
	free(z);
}

void
zstd_pack_add(struct zstd_pack *z, struct str piece, struct buf *out)
{
	ZSTD_inBuffer in = { piece.p, piece.len, 0 };
	ZSTD_outBuffer space;
	size_t left;

	do {
		buf_reserve(out, ZSTD_CStreamOutSize());
		space = (ZSTD_outBuffer){ out->p + out->len,
					  out->cap - out->len, 0 };
		left = ZSTD_compressStream2(z->stream, &space, &in,
					    ZSTD_e_flush);
		if (ZSTD_isError(left))
			errx(2, "zstd: %s", ZSTD_getErrorName(left));
		out->len += space.pos;
	} while (left > 0);
}
