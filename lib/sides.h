/* sides.h - the profiles of two sides, before and after, in one trie. */
#ifndef SIDES_H
#define SIDES_H

#include "palette.h"
#include "run.h"
#include "runs.h"
#include "stacks.h"
#include "trie.h"

/* A stack of either side. */
struct pair {
	uint32_t frame; /* in which it ends */
	struct count count[2];
};

/* All zero but for the first part; release with sides_free(). */
struct sides {
	bool with_runs;          /* keep the weights of each run */
	bool strip_hex;          /* "0x" and digits become "0x..." */
	struct palette *palette; /* whose rename rules are used, or NULL */
	int counts;              /* a line: 1 or 2 where an option says so */
	struct intern *names;
	struct trie trie;
	struct pair *pair; /* with the exact sums of both sides */
	size_t npair, pair_cap;
	uint32_t *pair_of; /* by frame: 1 + its place in pair, or 0 */
	struct count total[2];
	struct run *run;
	size_t n, run_cap;
	/* Called with each input whose last snapshot is left out. */
	void (*cut_off)(struct sides *s, const struct input *in);
	void *arg;
	bool paired; /* it is one profile with two counts */

	/* Below here is sides.c's own. */
	uint32_t second;     /* of what is added */
	struct intern *read; /* names as they are read */
	uint32_t *kept; /* by name as read: 1 + the name that is kept, or 0 */
	uint32_t *id;
	size_t pair_of_cap, kept_cap, id_cap;
};

void sides_init(struct sides *s);

/*
 * Read a profile of one side, with one count a line; or, as the only one, one
 * with two counts, which is both sides; stacks.h.  Ends the program with
 * status 2 where counts exceed 64 bits or metadata forbid it.
 */
void sides_read(struct sides *s, struct input *in, enum side side);
void sides_read_both(struct sides *s, struct input *in);

/*
 * Read profiles of one count a line side by side, each of the side that is its
 * column.  False if one is bad, and the sides are only good for sides_free().
 */
bool sides_read_runs(struct sides *s, struct runs *r);

/*
 * The same by hand: begin a run, and add its stacks, whose frames are numbers
 * of what sides_names() is.  False if a sum exceeds 64 bits.
 */
void sides_begin(struct sides *s, const char *name, enum side side);
struct intern *sides_names(struct sides *s);
bool sides_add(struct sides *s, const uint32_t *id, size_t n,
	       const struct count *count);

/*
 * Forget all frames and names that no run has, and the sums of both sides.
 * Frames and names get other numbers.
 */
void sides_renew(struct sides *s);

/* End the program with status 2 if the counts have different units. */
void sides_check(const struct sides *s);

/*
 * The header of two counts: what the metadata of all runs agree on; and that
 * which one of open runs has, false if it cannot be used.
 */
void sides_header(const struct sides *s, struct meta *header);
bool sides_run_header(const struct runs *r, size_t i, struct meta *header);

void sides_free(struct sides *s);

#endif
