/* comparison.h - the profiles of two sides, before and after, in one trie. */
#ifndef COMPARISON_H
#define COMPARISON_H

#include "diff/replicate.h"
#include "folded/sorted_runs.h"
#include "folded/stacks.h"
#include "palette/palette.h"
#include "tree/trie.h"

/* A stack and its exact count on each side. */
struct pair {
	uint32_t frame; /* where the stack ends */
	struct count count[2];
};

/*
 * The caller sets the options and leaves the rest zero; release with
 * comparison_free().
 */
struct comparison {
	/* Options: */
	bool with_runs;          /* keep the counts of each run */
	bool strip_hex;          /* replace "0x" and digits by "0x..." */
	struct palette *palette; /* whose rename rules apply, or NULL */
	int counts;              /* counts per line: 1 or 2; 0: as metadata */
	/* Called for each input whose incomplete last snapshot is dropped. */
	void (*cut_off)(struct comparison *c, const struct input *in);
	void *arg;

	struct intern *names;
	struct trie trie;
	struct pair *pair;
	size_t npair, pair_cap;
	uint32_t *pair_of; /* by frame: 1 + index in pair, or 0 */
	struct count total[2];
	struct replicate *run;
	size_t n, run_cap;
	bool paired; /* both sides are one two-count profile */

	/* Private to comparison.c. */
	struct stacks_seen seen;  /* time of the sample being added */
	struct intern *raw_names; /* names as they are in the input */
	uint32_t *name_of;        /* by raw name: 1 + name, or 0 */
	uint32_t *id;
	size_t pair_of_cap, name_of_cap, id_cap;
};

/* Initialize; the options are set already. */
void comparison_init(struct comparison *c);

/*
 * Read a profile with one count a line as a run of one side.  Ends the program
 * with status 2 if counts exceed 64 bits or stacks.h rejects the metadata.
 */
void comparison_read(struct comparison *c, struct input *in, enum side side);

/* Read the only profile: its two counts a line are the two sides. */
void comparison_read_both(struct comparison *c, struct input *in);

/*
 * Read sorted profiles in parallel, one run each.  Column 0 is before, column
 * 1 is after.  Return false if an input cannot be read so; then only
 * comparison_free() is allowed.
 */
bool comparison_read_runs(struct comparison *c, struct sorted_runs *runs);

/* Begin a run whose stacks come from comparison_add(); copies the name. */
void comparison_begin(struct comparison *c, const char *name, enum side side);

/* The names whose numbers comparison_add() expects; owned by c. */
struct intern *comparison_names(struct comparison *c);

/*
 * Add a stack of n frames to the run that began last; root first.  count has
 * two elements if c->paired.  Return false if a sum exceeds 64 bits.
 */
bool comparison_add(struct comparison *c, const uint32_t *id, size_t n,
		    const struct count *count);

/*
 * Drop all frames and names that no run uses, and the sums of both sides.
 * Frames and names get new numbers.
 */
void comparison_compact(struct comparison *c);

/* End the program with status 2 if runs have different units or events. */
void comparison_check(const struct comparison *c);

/* The metadata of a run; both runs of a two-count profile share them. */
const struct meta *comparison_meta(const struct comparison *c, size_t run);

/*
 * Append to the header of a two-count profile what all runs agree on, and, for
 * one file a side, a title of their names.
 */
void comparison_header(const struct comparison *c, struct meta *header);

/*
 * Copy the metadata of open run i to *header, which the caller frees.  Return
 * false if they cannot be merged.
 */
bool comparison_run_header(const struct sorted_runs *runs, size_t i,
			   struct meta *header);

void comparison_free(struct comparison *c);

#endif
