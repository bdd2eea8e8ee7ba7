/* prune.c - sum up the narrowest frames of a tree that has too many. */
#include "tree.h"

#include "mem.h"

#include <inttypes.h>
#include <stdlib.h>

/* Widths are sorted into bins: 64 for each power of two. */
#define BIN_BITS 6
#define NBINS ((64 << BIN_BITS) + 1)

static size_t
bin_of(uint64_t width)
{
	unsigned shift;

	if (width == 0)
		return 0;
	shift = 63 - (unsigned)__builtin_clzll(width);
	width = shift < BIN_BITS ? width << (BIN_BITS - shift) :
				   width >> (shift - BIN_BITS);
	return ((size_t)shift << BIN_BITS) + (width & ((1 << BIN_BITS) - 1)) +
	       1;
}

/* A frame's bin is never above its parent's. */
static size_t
bin(const struct tree *t, uint32_t i)
{
	uint64_t width = t->units[0][i];

	if (t->counts == 2 && t->units[1][i] > width)
		width = t->units[1][i];
	return bin_of(width);
}

/*
 * The lowest bin from which on all frames, and the sums of those below, are
 * at most max.  A frame needs a sum for its children if the narrowest of them
 * is below that bin and it is not.
 */
static size_t
find_cut(const struct tree *t, uint32_t max)
{
	size_t n = 0, cut = NBINS, *bins = mem_zero(NBINS + 1, sizeof(*bins));
	uint32_t i, child;
	size_t own, narrowest;

	for (i = 0; i < t->n; i++) {
		own = i == 0 ? NBINS : bin(t, i);
		narrowest = own;
		for (child = t->node[i].child; child != 0;
		     child = t->node[child].next) {
			if (bin(t, child) < narrowest)
				narrowest = bin(t, child);
		}
		/* From the top down: the frame, or its sum, then no sum. */
		bins[own] += narrowest < own ? 2 : 1;
		bins[narrowest] -= narrowest < own;
	}
	/* The root is counted above all, though it is no frame. */
	while (cut > 0 && n + bins[cut] <= (size_t)max + 1)
		n += bins[cut--];
	free(bins);
	return cut + 1;
}

/* How many frames there are from top on upwards. */
static uint32_t
count_frames(const struct tree *t, uint32_t top)
{
	uint32_t n = 1, i = top, depth = t->n;

	while (t->node[top].child != 0) {
		i = tree_next(t, i, &depth);
		if (i == 0 || depth <= t->n)
			break;
		n++;
	}
	return n;
}

/* Make frame i the sum of those in the list that begins with it. */
static void
sum_list(struct tree *t, uint32_t i, uint32_t frames)
{
	struct count sum;
	struct buf name = { 0 };
	uint32_t j;
	int column;

	for (column = 0; column < t->counts; column++) {
		sum = tree_total(t, i, column);
		for (j = t->node[i].next; j != 0; j = t->node[j].next)
			count_add(&sum, tree_total(t, j, column));
		t->units[column][i] = sum.units;
		if (t->micro[column] != NULL)
			t->micro[column][i] = sum.micro;
	}
	buf_printf(&name, "(%" PRIu32 " more)", frames);
	t->node[i].name = intern_id(t->names, buf_slice(&name));
	t->node[i].child = t->node[i].next = 0;
	buf_free(&name);
}

/* Sum up the narrow children of frame i, to the right of the others. */
static void
prune_children(struct tree *t, uint32_t i, size_t cut, struct count *lost)
{
	uint32_t narrow = 0, *wide_end = &t->node[i].child, j, frames = 0;
	uint32_t *narrow_end = &narrow;

	for (j = *wide_end; j != 0; j = t->node[j].next) {
		if (bin(t, j) >= cut) {
			*wide_end = j;
			wide_end = &t->node[j].next;
			continue;
		}
		frames += count_frames(t, j);
		*narrow_end = j;
		narrow_end = &t->node[j].next;
	}
	*narrow_end = 0;
	*wide_end = narrow;
	if (frames < 2)
		return;
	sum_list(t, narrow, frames);
	count_add(lost, tree_total(t, narrow, t->counts - 1));
	t->lost += frames;
	t->alive -= frames - 1;
}

struct count
tree_prune(struct tree *t, uint32_t max)
{
	struct count lost = { 0, 0 };
	uint32_t i, next, depth = 0;
	size_t cut;

	if (t->alive <= max)
		return lost;
	cut = find_cut(t, max);
	for (i = 0;; i = next) {
		if (i == 0 || bin(t, i) >= cut)
			prune_children(t, i, cut, &lost);
		next = tree_next(t, i, &depth);
		if (next == 0)
			return lost;
	}
}
