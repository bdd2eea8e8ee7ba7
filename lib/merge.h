/* merge.h - the metadata of merged profiles; folded(5). */
#ifndef MERGE_H
#define MERGE_H

#include "count.h"
#include "intern.h"
#include "meta.h"

/* How many keys have lists, which are united. */
#define MERGE_LISTS 2

/*
 * Profiles are added one after another: merge_begin() with the header that
 * holds for it, merge_stack() for each of its stacks, merge_end().  All zero
 * at the start; release with merge_free().
 */
struct merge {
	struct meta all; /* of the profiles that have ended */
	bool has_all;
	struct intern *words[MERGE_LISTS]; /* of lists, NULL for none */

	/* Below here is merge.c's own: of the profile that has begun. */
	struct meta one;
	bool has_header, is_stream, same_count;
	uint64_t stacks, first_time, last_time, lost;
	struct count count;
};

/* header is NULL where there is none. */
void merge_begin(struct merge *m, const struct meta *header);

/*
 * A stack with its own metadata and its first count.  What these say in
 * another way than the header does not hold for the profile.
 */
void merge_stack(struct merge *m, const struct meta *own, struct count count);

/*
 * End the profile.  NULL, or why it may not be merged with those before; then
 * the merge is of no more use.
 */
const char *merge_end(struct merge *m);

/* Forget the profile that has begun; or those that have ended. */
void merge_drop(struct merge *m);
void merge_restart(struct merge *m);

/*
 * Append the header of all profiles that have ended.  Its keys are sorted, so
 * that the order of merging does not show.
 */
void merge_print(const struct merge *m, int counts, struct buf *out);

void merge_free(struct merge *m);

#endif
