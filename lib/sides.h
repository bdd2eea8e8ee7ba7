/* sides.h - the profiles of two sides, before and after, in one trie. */
#ifndef SIDES_H
#define SIDES_H

#include "held.h"
#include "input.h"
#include "merge.h"
#include "trie.h"

enum side { BEFORE, AFTER };

/* One profile: a file, or one column of a file with two counts. */
struct run {
	char *name; /* of the file, for messages */
	enum side side;
	struct merge merge;   /* its metadata, in merge.all */
	struct count largest; /* of the counts of its lines */
	uint64_t gcd;         /* of the counts that are not zero */
	bool whole;           /* no count has decimals */

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

	/* Below here is sides.c's own. */
	size_t cap; /* of all that is by frame */
	struct stack stack;
	struct held held;
	struct buf text;
	bool paired, holds, had_snapshot;
};

void sides_init(struct sides *s);

/*
 * Read a profile of one side, which has one count a line; or, as the only
 * one, one with two counts, which is both sides.  Snapshots that are not whole
 * are left out, as foldmerge(1) does; cut says whether one was.  Ends the
 * program with status 2 where counts exceed 64 bits or metadata forbid it.
 */
void sides_read(struct sides *s, struct input *in, enum side side, bool *cut);
void sides_read_both(struct sides *s, struct input *in, bool *cut);

/* When all is read: totals of each run. */
void sides_finish(struct sides *s);

/* End the program with status 2 if the counts have different units. */
void sides_check(const struct sides *s);

/* The header of two counts: what the metadata of all runs agree on. */
void sides_header(const struct sides *s, struct meta *header);

void sides_free(struct sides *s);

#endif
