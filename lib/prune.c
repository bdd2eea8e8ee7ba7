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
	uint64_t a = tree_total(t, i, 0).units, b = tree_total(t, i, 1).units;

	return bin_of(a > b ? a : b);
}

static bool
has_narrow_child(const struct tree *t, uint32_t i, size_t cut)
{
	for (i = t->node[i].child; i != 0; i = t->node[i].next) {
		if (bin(t, i) < cut)
			return true;
	}
	return false;
}

/* How many frames stay if those below bin cut are summed up. */
static size_t
count_kept(const struct tree *t, size_t cut)
{
	size_t n = 0;
	uint32_t i;

	for (i = 0; i < t->n; i++) {
		if (i == 0 || bin(t, i) >= cut)
			n += (i != 0) + (size_t)has_narrow_child(t, i, cut);
	}
	return n;
}

/* The lowest bin from which on all frames, and the sums, are at most max. */
static size_t
find_cut(const struct tree *t, uint32_t max)
{
	size_t n = 0, cut = NBINS, *bins = mem_zero(NBINS, sizeof(*bins));
	uint32_t i;

	for (i = 1; i < t->n; i++)
		bins[bin(t, i)]++;
	while (cut > 0 && n + bins[cut - 1] <= max)
		n += bins[--cut];
	free(bins);
	while (cut < NBINS && count_kept(t, cut) > max)
		cut++;
	return cut;
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
