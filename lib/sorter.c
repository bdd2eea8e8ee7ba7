/* sorter.c - records put in order, however many: a merge of sorted runs. */
#include "sorter.h"

#include "mem.h"
#include "temp.h"

#include <err.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Bytes of records that are held, and of each run while they are merged. */
enum { HELD = 8 << 20, WINDOW = 64 << 10 };

/* Sorted records in the file, the first of them at hand. */
struct run {
	uint64_t at; /* in the file, of those that are not at hand */
	size_t left; /* records there */
	char *window;
	size_t n, next; /* records in the window */
};

struct sorter {
	size_t size;
	int (*compare)(const void *, const void *);
	char *held;
	size_t n, cap, next; /* records */
	bool in_order;       /* so far */
	bool merging;
	int fd;
	uint64_t written;
	struct run *run; /* while merging, a heap: the least is the first */
	size_t nruns, run_cap;
};

struct sorter *
sorter_new(size_t size, int (*compare)(const void *, const void *))
{
	struct sorter *s = mem_zero(1, sizeof(*s));

	s->size = size;
	s->compare = compare;
	s->in_order = true;
	return s;
}

void
sorter_free(struct sorter *s)
{
	size_t i;

	for (i = 0; i < s->nruns; i++)
		free(s->run[i].window);
	if (s->written > 0)
		close(s->fd);
	free(s->run);
	free(s->held);
	free(s);
}

static void
sort_held(struct sorter *s)
{
	if (!s->in_order)
		qsort(s->held, s->n, s->size, s->compare);
	s->in_order = true;
}

static void
write_run(struct sorter *s)
{
	struct run run = { .at = s->written, .left = s->n };

	sort_held(s);
	if (s->written == 0)
		s->fd = temp_open("events");
	temp_write(s->fd, s->held, s->n * s->size, "events");
	s->written += s->n * s->size;
	s->run = mem_grow(s->run, &s->run_cap, s->nruns + 1, sizeof(run));
	s->run[s->nruns++] = run;
	s->n = 0;
}

void
sorter_add(struct sorter *s, const void *record)
{
	if (s->n == HELD / s->size)
		write_run(s);
	s->held = mem_grow(s->held, &s->cap, s->n + 1, s->size);
	if (s->n > 0 && s->in_order)
		s->in_order = s->compare(s->held + (s->n - 1) * s->size,
					 record) < 0;
	memcpy(s->held + s->n++ * s->size, record, s->size);
}

/* Get more of a run; false at its end. */
static bool
fill(struct sorter *s, struct run *run)
{
	size_t n = WINDOW / s->size, have = 0, bytes;
	ssize_t got;

	n = n < run->left ? n : run->left;
	if (run->window == NULL)
		run->window = mem_alloc(WINDOW);
	for (bytes = n * s->size; have < bytes; have += (size_t)got) {
		got = pread(s->fd, run->window + have, bytes - have,
			    (off_t)(run->at + have));
		if (got == 0)
			errx(2, "events: the temporary file is cut short");
		if (got < 0 && errno != EINTR)
			err(2, "events");
		got = got < 0 ? 0 : got;
	}
	run->at += bytes;
	run->left -= n;
	run->n = n;
	run->next = 0;
	return n > 0;
}

static bool
is_before(const struct sorter *s, const struct run *a, const struct run *b)
{
	return s->compare(a->window + a->next * s->size,
			  b->window + b->next * s->size) < 0;
}

/* Let the run at a place of the heap sink to where it belongs. */
static void
sift(struct sorter *s, size_t at)
{
	struct run run = s->run[at];
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
begin(struct sorter *s)
{
	size_t i;

	s->merging = true;
	if (s->nruns == 0) {
		sort_held(s);
		return;
	}
	write_run(s);
	free(s->held);
	s->held = NULL;
	for (i = 0; i < s->nruns; i++)
		fill(s, &s->run[i]);
	for (i = s->nruns; i-- > 0;)
		sift(s, i);
}

/* The record that was given last is done with. */
static void
leave(struct sorter *s)
{
	struct run *first = &s->run[0];

	if (++first->next == first->n && !fill(s, first)) {
		free(first->window);
		*first = s->run[--s->nruns];
	}
	if (s->nruns > 0)
		sift(s, 0);
}

const void *
sorter_next(struct sorter *s)
{
	if (!s->merging)
		begin(s);
	else if (s->nruns > 0)
		leave(s);
	if (s->nruns > 0)
		return s->run[0].window + s->run[0].next * s->size;
	return s->next < s->n ? s->held + s->next++ * s->size : NULL;
}
