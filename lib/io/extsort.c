/* extsort.c - sort records that may not fit into memory, by merging runs. */
#include "io/extsort.h"

#include "base/mem.h"
#include "io/spill.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of records in memory: while adding, and of each run while merging. */
enum { BLOCK = 8 << 20, WINDOW = 64 << 10 };

/* Sorted records in the file.  A window of them is in memory. */
struct extsort_run {
	uint64_t offset; /* in the file, of the first record after the window */
	size_t left;     /* records after the window */
	char *window;
	size_t n, next; /* records in the window, and the next one to read */
};

struct extsort {
	size_t size;
	int (*compare)(const void *, const void *);
	char *block;
	size_t n, cap, next; /* records in the block */
	bool is_sorted;      /* the block, so far */
	bool is_merging;
	struct spill file;
	/* While merging, a heap: the run with the least record is first. */
	struct extsort_run *run;
	size_t nruns, run_cap;
};

struct extsort *
extsort_new(size_t size, int (*compare)(const void *, const void *))
{
	struct extsort *s = mem_zero(1, sizeof(*s));

	s->size = size;
	s->compare = compare;
	s->is_sorted = true;
	s->file.what = "events";
	return s;
}

void
extsort_free(struct extsort *s)
{
	size_t i;

	for (i = 0; i < s->nruns; i++)
		free(s->run[i].window);
	spill_free(&s->file);
	free(s->run);
	free(s->block);
	free(s);
}

static void
sort_block(struct extsort *s)
{
	if (!s->is_sorted)
		qsort(s->block, s->n, s->size, s->compare);
	s->is_sorted = true;
}

static void
write_run(struct extsort *s)
{
	struct extsort_run run = { .offset = s->file.size, .left = s->n };

	sort_block(s);
	spill_write(&s->file, s->block, s->n * s->size);
	s->run = mem_grow(s->run, &s->run_cap, s->nruns + 1, sizeof(run));
	s->run[s->nruns++] = run;
	s->n = 0;
}

void
extsort_add(struct extsort *s, const void *record)
{
	if (s->n == BLOCK / s->size)
		write_run(s);
	s->block = mem_grow(s->block, &s->cap, s->n + 1, s->size);
	if (s->n > 0 && s->is_sorted)
		s->is_sorted = s->compare(s->block + (s->n - 1) * s->size,
					  record) < 0;
	memcpy(s->block + s->n++ * s->size, record, s->size);
}

/* Read the next window of a run; false at the end of the run. */
static bool
fill_window(struct extsort *s, struct extsort_run *run)
{
	size_t n = WINDOW / s->size;

	n = n < run->left ? n : run->left;
	if (run->window == NULL)
		run->window = mem_alloc(WINDOW);
	if (n > 0)
		spill_read(&s->file, run->offset, run->window, n * s->size);
	run->offset += n * s->size;
	run->left -= n;
	run->n = n;
	run->next = 0;
	return n > 0;
}

static bool
is_before(const struct extsort *s, const struct extsort_run *a,
	  const struct extsort_run *b)
{
	return s->compare(a->window + a->next * s->size,
			  b->window + b->next * s->size) < 0;
}

/* Restore the order of the heap below a run. */
static void
sift_down(struct extsort *s, size_t at)
{
	struct extsort_run run = s->run[at];
	size_t child;

	while ((child = 2 * at + 1) < s->nruns) {
		if (child + 1 < s->nruns &&
		    is_before(s, &s->run[child + 1], &s->run[child]))
			child++;
		if (!is_before(s, &s->run[child], &run))
			break;
		s->run[at] = s->run[child];
		at = child;
	}
	s->run[at] = run;
}

static void
begin_merge(struct extsort *s)
{
	size_t i;

	s->is_merging = true;
	if (s->nruns == 0) {
		sort_block(s);
		return;
	}
	write_run(s);
	free(s->block);
	s->block = NULL;
	for (i = 0; i < s->nruns; i++)
		fill_window(s, &s->run[i]);
	for (i = s->nruns; i-- > 0;)
		sift_down(s, i);
}

/* Drop the record that extsort_next() returned last. */
static void
drop_first(struct extsort *s)
{
	struct extsort_run *first = &s->run[0];

	if (++first->next == first->n && !fill_window(s, first)) {
		free(first->window);
		*first = s->run[--s->nruns];
	}
	if (s->nruns > 0)
		sift_down(s, 0);
}

const void *
extsort_next(struct extsort *s)
{
	if (!s->is_merging)
		begin_merge(s);
	else if (s->nruns > 0)
		drop_first(s);
	if (s->nruns > 0)
		return s->run[0].window + s->run[0].next * s->size;
	return s->next < s->n ? s->block + s->next++ * s->size : NULL;
}
