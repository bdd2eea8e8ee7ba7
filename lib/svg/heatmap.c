/* heatmap.c - samples sorted into the cells of a heat map, by their time. */
#include "svg/heatmap.h"

#include "base/mem.h"

#include <stdlib.h>

#define SECOND UINT64_C(1000000000)

/* Samples per cell below which the picture shows only chance. */
#define FEW 3

void
heatmap_add(struct heatmap *h, uint64_t time, struct count count)
{
	h->sample = mem_grow(h->sample, &h->cap, h->n + 1, sizeof(*h->sample));
	h->sample[h->n++] = (struct heatmap_sample){ .time = time,
						     .count = count };
}

/* A column starts at a whole second, a shorter one at a multiple of its span.
 */
static uint64_t
start_of(uint64_t span, uint64_t first)
{
	return first - first % (span < SECOND ? span : SECOND);
}

static uint64_t
columns_of(const struct heatmap *h, uint64_t span, uint64_t first,
	   uint64_t last)
{
	return h->n == 0 ? 0 : (last - start_of(span, first)) / span + 1;
}

uint64_t
heatmap_round(uint64_t ns)
{
	static const uint64_t seconds[] = { 1,  2,   5,   10,  20,   30,
					    60, 120, 300, 600, 1200, 1800 };
	uint64_t round = 3600 * SECOND;
	size_t i;

	for (i = 0; i < sizeof(seconds) / sizeof(*seconds); i++) {
		if (seconds[i] * SECOND >= ns)
			return seconds[i] * SECOND;
	}
	while (round < ns && round <= UINT64_MAX / 2)
		round *= 2;
	return round;
}

static uint32_t
cell_of(const struct heatmap *h, uint64_t time)
{
	uint64_t rest = (time - h->start) % h->span;

	return (uint32_t)((time - h->start) / h->span) * h->rows +
	       (uint32_t)((unsigned __int128)rest * h->rows / h->span);
}

static int
by_cell(const void *a, const void *b)
{
	const struct heatmap_sample *x = a, *y = b;

	if (x->cell != y->cell)
		return x->cell < y->cell ? -1 : 1;
	if (x->frame != y->frame)
		return x->frame < y->frame ? -1 : 1;
	return (x->time > y->time) - (x->time < y->time);
}

/* Sort the samples into cells; returns the number of cells with samples. */
static size_t
fill_cells(struct heatmap *h)
{
	size_t i, used = 0;

	free(h->samples);
	h->samples = mem_zero((size_t)h->columns * h->rows,
			      sizeof(*h->samples));
	for (i = 0; i < h->n; i++) {
		h->sample[i].cell = cell_of(h, h->sample[i].time);
		used += h->samples[h->sample[i].cell]++ == 0;
	}
	return used;
}

/* Choose the most rows that leave cells enough samples to compare. */
static void
choose_rows(struct heatmap *h)
{
	static const uint32_t rows[] = { 50, 25, 20, 10 };
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		h->rows = rows[i];
		if (h->n / FEW >= fill_cells(h))
			return;
	}
}

bool
heatmap_finish(struct heatmap *h, const uint32_t *frame, uint32_t max)
{
	uint64_t first = UINT64_MAX, last = 0, columns;
	bool chosen;
	size_t i;

	for (i = 0; i < h->n; i++) {
		first = h->sample[i].time < first ? h->sample[i].time : first;
		last = h->sample[i].time > last ? h->sample[i].time : last;
	}
	chosen = h->span == 0;
	if (chosen)
		h->span = SECOND;
	while ((columns = columns_of(h, h->span, first, last)) > max) {
		if (!chosen)
			return false;
		h->span = heatmap_round(h->span + 1);
	}
	h->start = start_of(h->span, first);
	h->columns = (uint32_t)columns;
	for (i = 0; i < h->n; i++)
		h->sample[i].frame = frame[i];
	if (h->rows == 0)
		choose_rows(h);
	else
		fill_cells(h);
	qsort(h->sample, h->n, sizeof(*h->sample), by_cell);
	return true;
}

void
heatmap_free(struct heatmap *h)
{
	free(h->samples);
	free(h->sample);
}
