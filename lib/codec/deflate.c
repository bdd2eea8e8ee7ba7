/* deflate.c - compression; the only file that includes zlib. */
#include "codec/deflate.h"

#include "base/mem.h"

#include <err.h>
#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

#define CHUNK (1 << 16)

/* Pass some bytes of s to zlib, which counts in unsigned int. */
static void
feed(z_stream *z, struct str *s)
{
	size_t n = s->len < INT_MAX ? s->len : INT_MAX;

	if (z->avail_in > 0)
		return;
	z->next_in = (Bytef *)(uintptr_t)s->p;
	z->avail_in = (uInt)n;
	*s = str_skip(*s, n);
}

/* Run one step of deflate() or inflate(); appends at most CHUNK bytes. */
static int
step(z_stream *z, struct buf *out, int (*work)(z_stream *, int), int flush)
{
	int status;

	buf_reserve(out, CHUNK);
	z->next_out = (Bytef *)out->p + out->len;
	z->avail_out = CHUNK;
	status = work(z, flush);
	out->len += CHUNK - z->avail_out;
	return status;
}

bool
deflate_inflate(struct buf *out, struct str s, size_t max)
{
	z_stream z = { 0 };
	int status;

	if (inflateInit(&z) != Z_OK)
		errx(2, "inflate: out of memory");
	do {
		feed(&z, &s);
		status = step(&z, out, inflate, Z_NO_FLUSH);
	} while (status == Z_OK && out->len <= max);
	inflateEnd(&z);
	return status == Z_STREAM_END && out->len <= max;
}

/* Level 6, the default, takes twice the time to save 3 %. */
#define LEVEL 4

struct gzip {
	FILE *out;
	z_stream z;
	struct buf bytes;
};

struct gzip *
deflate_gzip_new(FILE *out)
{
	struct gzip *g = mem_zero(1, sizeof(*g));

	g->out = out;
	/* Adding 16 selects the gzip format. */
	if (deflateInit2(&g->z, LEVEL, Z_DEFLATED, MAX_WBITS + 16,
			 MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK)
		errx(2, "gzip: out of memory");
	return g;
}

void
deflate_gzip_add(struct gzip *g, struct str s)
{
	while (s.len > 0 || g->z.avail_in > 0) {
		feed(&g->z, &s);
		step(&g->z, &g->bytes, deflate, Z_NO_FLUSH);
		buf_write(&g->bytes, g->out);
	}
}

void
deflate_gzip_end(struct gzip *g)
{
	int status;

	do {
		status = step(&g->z, &g->bytes, deflate, Z_FINISH);
		buf_write(&g->bytes, g->out);
	} while (status != Z_STREAM_END);
	deflateEnd(&g->z);
	buf_free(&g->bytes);
	free(g);
}
