/* perfzstd.h - compressed records of perf.data, from perf record -z. */
#ifndef PERFZSTD_H
#define PERFZSTD_H

#include "codec/zstd.h"
#include "perfdata/perfabi.h"

/*
 * The contents of all compressed records are one zstd stream.  A record in that
 * stream may begin in one compressed record and end in the next.
 *
 * All zero is empty; release with perfzstd_free().
 */
struct perf_zstd {
	struct zstd_unpack *zstd; /* NULL before the first compressed record */
	struct buf bytes;         /* decompressed */
	size_t at;                /* in bytes: the next record */
	uint64_t compressed;      /* size of all compressed records */
	uint64_t samples, tasks;  /* sizes of the records taken from them */
};

/* Begin a new stream. */
void perfzstd_begin(struct perf_zstd *z);

/*
 * Decompress the contents of a record; false if they are broken.  data must not
 * be part of perfzstd_left(), which moves.
 */
bool perfzstd_add(struct perf_zstd *z, struct str data);

/* The decompressed bytes not yet taken, valid until perfzstd_add(). */
static inline struct str
perfzstd_left(const struct perf_zstd *z)
{
	return str_skip(buf_slice(&z->bytes), z->at);
}

/*
 * Take a record with this header from the start of perfzstd_left().  False, and
 * nothing is left, if the samples are larger than perf can have compressed into
 * so few bytes, or the other records, which the caller may keep in memory.
 */
bool perfzstd_take(struct perf_zstd *z, const struct perf_header *h);

/* Drop the bytes not yet taken. */
void perfzstd_drop(struct perf_zstd *z);

void perfzstd_free(struct perf_zstd *z);

#endif
