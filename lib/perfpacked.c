/* perfpacked.c - records of perf.data that lie compressed in others. */
#include "perfpacked.h"

/* What one compressed record may hold; perf's buffers are far smaller. */
#define MAX_INFLATED ((size_t)64 << 20)

/*
 * How many times larger than what it was packed into a recording may be, of
 * what is more than some bytes.  Samples with deep stacks that are copied, all
 * of one loop, were seen to be 1700 times, tasks 6.
 */
#define FREE ((uint64_t)64 << 20)
enum { MAX_SAMPLES = 4000, MAX_TASKS = 100 };

void
perfpacked_begin(struct perf_packed *p)
{
	p->bytes.len = p->at = 0;
	p->taken = p->samples = p->tasks = 0;
	if (p->zstd != NULL)
		unzstd_reset(p->zstd);
}

bool
perfpacked_add(struct perf_packed *p, struct str piece)
{
	const size_t left = p->bytes.len - p->at;

	if (left > 0)
		memmove(p->bytes.p, p->bytes.p + p->at, left);
	p->bytes.len = left;
	p->at = 0;
	p->taken += piece.len;
	if (p->zstd == NULL)
		p->zstd = unzstd_new();
	return unzstd_feed(p->zstd, piece, MAX_INFLATED, &p->bytes);
}

bool
perfpacked_take(struct perf_packed *p, const struct perf_header *h)
{
	const bool sample = perftype_is_sample(h->type);
	uint64_t *sum = sample ? &p->samples : &p->tasks;

	p->at += h->size;
	*sum += h->size;
	if (*sum <= FREE ||
	    *sum - FREE <= p->taken * (sample ? MAX_SAMPLES : MAX_TASKS))
		return true;
	perfpacked_drop(p);
	return false;
}

void
perfpacked_drop(struct perf_packed *p)
{
	p->at = p->bytes.len;
}

void
perfpacked_free(struct perf_packed *p)
{
	unzstd_free(p->zstd);
	buf_free(&p->bytes);
	*p = (struct perf_packed){ 0 };
}
