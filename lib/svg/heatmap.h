/* heatmap.h - samples sorted into the cells of a heat map, by their time. */
#ifndef HEATMAP_H
#define HEATMAP_H

#include "base/count.h"

#include <stdbool.h>
#include <stddef.h>

struct heatmap_sample {
	uint64_t time; /* ns */
	struct count count;
	uint32_t frame; /* leaf of its stack, a number of the tree */
	uint32_t cell;
};

/*
 * Each column is a time span, and each row a part of that span.  Cells are
 * numbered in the order of time: first column, second column, ...  Zero all
 * but span and rows before use; release with heatmap_free().
 */
struct heatmap {
	uint64_t span; /* time of one column, ns; 0: choose it */
	uint32_t rows; /* 0: choose it */
	uint32_t columns;
	uint64_t start;    /* time of the first column, ns; a whole second */
	uint32_t *samples; /* number of samples in each cell */
	struct heatmap_sample *sample; /* sorted by cell, then by frame */
	size_t n;

	/* Private. */
	size_t cap;
};

/* Add a sample.  heatmap_finish() sets its frame. */
void heatmap_add(struct heatmap *h, uint64_t time, struct count count);

/*
 * Call after the last sample: set the leaf of each sample, from frame[], which
 * is in the order of heatmap_add(), and sort the samples into cells.  max is
 * the largest number of columns, at least 16.  A span that was not given
 * becomes one second, or the multiple that keeps to max; rows become 50, or
 * fewer for few samples.  Returns false if the given span needs more columns
 * than max.
 */
bool heatmap_finish(struct heatmap *h, const uint32_t *frame, uint32_t max);

/*
 * Round a time in ns up to 1, 2, 5, 10, 20, 30 s ...; returns the largest
 * round time of 64 bits if there is no larger one.
 */
uint64_t heatmap_round(uint64_t ns);

void heatmap_free(struct heatmap *h);

#endif
