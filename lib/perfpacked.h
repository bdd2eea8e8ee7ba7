/* perfpacked.h - records of perf.data that lie compressed in others. */
#ifndef PERFPACKED_H
#define PERFPACKED_H

#include "perftype.h"
#include "unzstd.h"

/*
 * What perf record -z writes: all compressed records are one stream, and
 * those in it may straddle them.
 *
 * All zero is none; release with perfpacked_free().
 */
struct perf_packed {
	struct unzstd *zstd;     /* NULL until the first */
	struct buf bytes;        /* what they gave, */
	size_t at;               /* and how much of that was taken */
	uint64_t taken;          /* bytes of all compressed records */
	uint64_t samples, tasks; /* of what they gave, by their sort */
};

/* Begin a new stream. */
void perfpacked_begin(struct perf_packed *p);

/*
 * Append what a compressed record holds; piece must lie elsewhere than in
 * perfpacked_left(), which is moved.  False if it is spoilt.
 */
bool perfpacked_add(struct perf_packed *p, struct str piece);

/* What was not taken yet, valid until the next record is added. */
static inline struct str
perfpacked_left(const struct perf_packed *p)
{
	return str_skip(buf_slice(&p->bytes), p->at);
}

/*
 * Take the record with which that begins.  False, and nothing is left, if all
 * samples, or all other records, which may have to be kept, are more than
 * perf compresses into as many bytes.
 */
bool perfpacked_take(struct perf_packed *p, const struct perf_header *h);

/* Leave out what was not taken. */
void perfpacked_drop(struct perf_packed *p);

void perfpacked_free(struct perf_packed *p);

#endif
