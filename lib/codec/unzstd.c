/* unzstd.c - decompress zstd; the only file that includes libzstd. */
#include "codec/unzstd.h"

#include "base/mem.h"

#include <err.h>
#include <stdlib.h>
#include <zstd.h>

struct unzstd {
	ZSTD_DStream *stream;
};

struct unzstd *
unzstd_new(void)
{
	struct unzstd *z = mem_zero(1, sizeof(*z));

	z->stream = ZSTD_createDStream();
	if (z->stream == NULL)
		err(2, NULL);
	unzstd_reset(z);
	return z;
}

void
unzstd_free(struct unzstd *z)
{
	if (z == NULL)
		return;
	ZSTD_freeDStream(z->stream);
	free(z);
}

void
unzstd_reset(struct unzstd *z)
{
	ZSTD_initDStream(z->stream);
	/* perf uses windows up to 8 MB; a hostile stream could demand 2 GB. */
	ZSTD_DCtx_setParameter(z->stream, ZSTD_d_windowLogMax, 27);
}

bool
unzstd_feed(struct unzstd *z, struct str piece, size_t max, struct buf *out)
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
unzstd_all(struct str in, void *out, size_t out_size)
{
	return ZSTD_decompress(out, out_size, in.p, in.len) == out_size;
}
