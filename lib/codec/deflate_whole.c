/* deflate_whole.c - data in memory; the only file that includes libdeflate. */
#include "codec/deflate_whole.h"

#include <err.h>
#include <libdeflate.h>

/*
 * For the table of a million frames, level 1 takes a fifth of the time of
 * zlib's level 4 for as many bytes.  Level 6 takes three times as long as level
 * 1 and saves 2 %.
 */
#define LARGE ((size_t)1 << 20)
#define LEVEL 6
#define LARGE_LEVEL 1

void
deflate_whole(struct buf *out, struct str s)
{
	struct libdeflate_compressor *c = libdeflate_alloc_compressor(
	    s.len > LARGE ? LARGE_LEVEL : LEVEL);
	size_t most;

	if (c == NULL)
		errx(2, "deflate: out of memory");
	most = libdeflate_zlib_compress_bound(c, s.len);
	buf_reserve(out, most);
	out->len += libdeflate_zlib_compress(c, s.p, s.len, out->p + out->len,
					     most);
	libdeflate_free_compressor(c);
}

bool
deflate_whole_inflate(struct str s, void *out, size_t size)
{
	struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
	bool good;

	if (d == NULL)
		errx(2, "inflate: out of memory");
	good = libdeflate_zlib_decompress(d, s.p, s.len, out, size, NULL) ==
	       LIBDEFLATE_SUCCESS;
	libdeflate_free_decompressor(d);
	return good;
}
