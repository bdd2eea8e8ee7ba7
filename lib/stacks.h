/* stacks.h - the stacks of folded profiles, read one after another. */
#ifndef STACKS_H
#define STACKS_H

#include "folded.h"
#include "held.h"
#include "merge.h"

/* Where and when a stack was seen. */
struct stacks_seen {
	uint64_t time;    /* ns, 0 if unknown */
	bool sample;      /* it is one of a stream, which says the time */
	int64_t pid, tid; /* of a sample, -1 if unknown */
};

/*
 * A reader of profiles, and what its user gives it; the rest is zero at the
 * start.  Release with stacks_free().
 */
struct stacks {
	int asked;  /* counts a line by an option, 0 for none */
	bool timed; /* seen is wanted: times are all of one clock */
	void *arg;  /* for what is below, of which much may be NULL */

	/* Called before the first stack, when counts is known; sets names. */
	void (*begin)(struct stacks *s);
	/* Takes a stack, root first; false if a sum exceeds 64 bits. */
	bool (*add)(struct stacks *s, const uint32_t *id, size_t n,
		    const struct count *count);
	/* Whether a stack counts at all. */
	bool (*wants)(struct stacks *s, const struct folded *f);
	/* Sees each line of metadata. */
	void (*see)(struct stacks *s, const struct meta *m);
	/* Is told of an input whose last snapshot is left out. */
	void (*cut_off)(struct stacks *s, const struct input *in);

	/* Is called now and then; true if it put another table in names. */
	bool (*rest)(struct stacks *s);

	/*
	 * Where there are these, each snapshot ends by itself, and one that is
	 * no delta takes the place of all before it: restart() forgets them.
	 * ended() returns as rest() does.
	 */
	void (*restart)(struct stacks *s);
	bool (*ended)(struct stacks *s);

	struct intern *names;    /* the user's */
	int counts;              /* a line, 0 before the first stack */
	struct stacks_seen seen; /* of what add() takes, if timed */
	struct merge merge;      /* of the profiles that have ended */

	/* Below here is stacks.c's own. */
	struct stacks_line *line;
	size_t n;
	struct held held;
	bool had_snapshot, holds, supersedes;
	bool knows_clock; /* of the profile that has begun */
	struct buf clock; /* of all, empty if unknown */
};

/*
 * Read an input: plain profiles, sample streams and snapshot streams.  Of a
 * snapshot stream that was cut off the last one is left out, as folded(5) has
 * it.  What cannot be added up ends the program with status 2.
 */
void stacks_read(struct stacks *s, struct input *in);

void stacks_free(struct stacks *s);

#endif
