/* sides.h - the profiles of two sides, before and after, in one trie. */
#ifndef SIDES_H
#define SIDES_H

#include "stacks.h"
#include "trie.h"

enum side { BEFORE, AFTER };

/* One profile: a file, or one column of a file with two counts. */
struct run {
	char *name; /* of the file, for messages */
	enum side side;
	struct meta meta; /* of all its profiles, merged */
	uint64_t gcd;     /* of the counts that are not zero */
	bool whole;       /* no count has decimals */

	/*
	 * By frame, as floating point, for statistics only: what ends in it,
	 * after sides_finish() what passes through it.
	 */
	double *weight;
};

/* All zero but for the first part; release with sides_free(). */
struct sides {
	bool with_runs; /* keep the weights of each run */
	bool strip_hex; /* "0x" and digits become "0x..." */
	int counts;     /* a line: 1 or 2 where an option says so */

	struct intern *names;
	struct trie trie;
	struct count *self[2]; /* by frame: what ends in it, exactly */
	struct count total[2];
	struct run *run;
	size_t n, run_cap;
	bool *ends; /* by frame, whether a stack ends in it */

	/* Called with each input whose last snapshot is left out. */
	void (*cut_off)(struct sides *s, const struct input *in);
	void *arg; /* for it */

	/* Below here is sides.c's own. */
	size_t cap; /* of all that is by frame */
	bool paired;
	uint32_t *kept; /* by name as read: 1 + the name that is kept, or 0 */
	size_t kept_cap, id_cap;
	uint32_t *id;
	struct intern *read; /* names as they are read */
};

void sides_init(struct sides *s);

/*
 * Read a profile of one side, which has one count a line; or, as the only
 * one, one with two counts, which is both sides.  Streams are read as by
 * stacks.h.  Ends the program with status 2 where counts exceed 64 bits or
 * metadata forbid it.
 */
void sides_read(struct sides *s, struct input *in, enum side side);
void sides_read_both(struct sides *s, struct input *in);

/* When all is read: totals of each run. */
void sides_finish(struct sides *s);

/* End the program with status 2 if the counts have different units. */
void sides_check(const struct sides *s);

/* The header of two counts: what the metadata of all runs agree on. */
void sides_header(const struct sides *s, struct meta *header);

void sides_free(struct sides *s);

#endif
