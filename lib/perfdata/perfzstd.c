/* perfzstd.c - compressed records of perf.data, from perf record -z. */
#include "perfdata/perfzstd.h"

/* The most that one compressed record may hold; perf uses smaller buffers. */
#define MAX_RECORD ((size_t)64 << 20)

/*
 * Limits of the compression ratio, for all bytes after the first FREE ones.
 * Ratios seen are 1700 for samples with deep stack copies of one loop, and 6
 * for other records.
 */
#define FREE ((uint64_t)64 << 20)
enum { MAX_SAMPLES = 4000, MAX_TASKS = 100 };

void
perfzstd_begin(struct perf_zstd *z)
{
	z->bytes.len = z->at = 0;
	z->compressed = z->samples = z->tasks = 0;
	if (z->zstd != NULL)
		zstd_unpack_reset(z->zstd);
}

bool
perfzstd_add(struct perf_zstd *z, struct str data)
{
	const size_t left = z->bytes.len - z->at;

	if (left > 0)
		memmove(z->bytes.p, z->bytes.p + z->at, left);
	z->bytes.len = left;
	z->at = 0;
	z->compressed += data.len;
	if (z->zstd == NULL)
		z->zstd = zstd_unpack_new();
	return zstd_unpack_feed(z->zstd, data, MAX_RECORD, &z->bytes);
}

bool
perfzstd_take(struct perf_zstd *z, const struct perf_header *h)
{
	const bool is_sample = perfabi_is_sample(h->type);
	const uint64_t ratio = is_sample ? MAX_SAMPLES : MAX_TASKS;
	uint64_t *sum = is_sample ? &z->samples : &z->tasks;

	z->at += h->size;
	*sum += h->size;
	if (*sum <= FREE || *sum - FREE <= z->compressed * ratio)
		return true;
	perfzstd_drop(z);
	return false;
}

void
perfzstd_drop(struct perf_zstd *z)
{
	z->at = z->bytes.len;
}

void
perfzstd_free(struct perf_zstd *z)
{
	zstd_unpack_free(z->zstd);
	buf_free(&z->bytes);
	*z = (struct perf_zstd){ 0 };
}
