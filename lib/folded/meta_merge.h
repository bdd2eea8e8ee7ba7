/* meta_merge.h - merge the metadata of profiles; folded(5). */
#ifndef META_MERGE_H
#define META_MERGE_H

#include "base/count.h"
#include "base/intern.h"
#include "folded/meta.h"

/* The number of keys whose values are lists. */
#define META_MERGE_LISTS 2

/*
 * For each profile call meta_merge_begin() with its header, meta_merge_stack()
 * for each of its stacks, and meta_merge_end().  All zero at the start; release
 * with meta_merge_free().
 */
struct meta_merge {
	struct meta all; /* the merged keys, but for lists */
	bool has_all;
	struct intern *words[META_MERGE_LISTS]; /* merged lists, may be NULL */

	/* Private: the profile that has begun. */
	struct meta one;
	bool has_header, is_stream, same_count;
	uint64_t stacks, first_time, last_time, lost;
	struct count count;
};

/* Begin a profile; header is NULL if it has none.  The keys are copied. */
void meta_merge_begin(struct meta_merge *merge, const struct meta *header);

/*
 * Note a stack with its own metadata and its first count.  A header's key with
 * another value in a stack does not hold for the profile and is dropped.
 */
void meta_merge_stack(struct meta_merge *merge, const struct meta *own,
		      struct count count);

/*
 * End the profile and merge its keys.  Returns NULL, or the reason why it
 * cannot be merged with the earlier profiles; do not use the merge after that.
 */
const char *meta_merge_end(struct meta_merge *merge);

/* Discard the profile that has begun. */
void meta_merge_drop(struct meta_merge *merge);

/* Discard the profiles that have ended. */
void meta_merge_restart(struct meta_merge *merge);

/*
 * Append the merged header.  Keys and lists are sorted, so that the order of
 * the inputs makes no difference.
 */
void meta_merge_print(const struct meta_merge *merge, int counts,
		      struct buf *out);

void meta_merge_free(struct meta_merge *merge);

#endif
