/* stacks.h - read the stacks of folded profiles and streams. */
#ifndef STACKS_H
#define STACKS_H

#include "folded/folded.h"
#include "folded/meta_merge.h"
#include "folded/snapshot_buffer.h"

/* When and in which thread a stack was sampled. */
struct stacks_seen {
	uint64_t time;    /* ns; of a snapshot its start; 0 if unknown */
	bool is_sample;   /* a sample of a stream with its own time */
	int64_t pid, tid; /* of a sample, -1 if unknown */
};

/*
 * The reader.  The caller sets the first part; the rest is zero at the start.
 * Release with stacks_free().
 */
struct stacks {
	int counts_option; /* counts per line, 0 without the option */
	bool timed;        /* set seen, and reject inputs of several clocks */
	bool any_clock;    /* with timed: set mixes_clocks instead */
	void *arg;         /* for the functions below */

	/* Called before the first stack, with counts set; it sets names. */
	void (*begin)(struct stacks *s);
	/* Takes a stack, root first; false if a sum exceeds 64 bits. */
	bool (*add)(struct stacks *s, const uint32_t *id, size_t n,
		    const struct count *count);

	/* The functions from here on may be NULL. */

	/* Returns false to skip a stack. */
	bool (*accepts)(struct stacks *s, const struct folded *f);
	/* Called with each metadata line. */
	void (*meta)(struct stacks *s, const struct meta *m);
	/* Called if the last snapshot of an input is incomplete and skipped. */
	void (*cut_off)(struct stacks *s, const struct input *in);

	/*
	 * Gets the text of each stack instead of add(), until it returns false.
	 * Then all stacks so far are read again, and passed to add().  Has no
	 * effect on an input that cannot be read again.  For one input, and
	 * not together with accepts() that skips stacks.
	 */
	bool (*add_text)(struct stacks *s, struct str stack,
			 const struct count *count);

	/*
	 * Called between batches of stacks, for example to free memory.
	 * Returns true if it has put another table into names.
	 */
	bool (*batch_done)(struct stacks *s);

	/*
	 * With these, each snapshot is reported when it ends, and one that is
	 * not a delta replaces all earlier ones: restart() discards them.
	 * snapshot_ended() returns true if it has put another table into names.
	 */
	void (*restart)(struct stacks *s);
	bool (*snapshot_ended)(struct stacks *s);

	struct intern *names;    /* owned by the caller */
	bool mixes_clocks;       /* times of several clocks were read */
	int counts;              /* per line, 0 before the first stack */
	struct stacks_seen seen; /* of the stack passed to add(), if timed */
	struct meta_merge merge; /* of the profiles that have ended */

	/* Private. */
	struct stacks_line *line;
	size_t n;
	struct snapshot_buffer snapshot;
	bool had_snapshot, buffers, supersedes;
	bool checked_clock; /* of the profile that has begun */
	struct buf clock;   /* of all inputs, empty if unknown */
};

/*
 * Read an input: plain profiles, a sample stream or a snapshot stream.  If a
 * snapshot stream is cut off, its last snapshot is skipped, as in folded(5).
 * Profiles that cannot be added up end the program with status 2.
 */
void stacks_read(struct stacks *s, struct input *in);

void stacks_free(struct stacks *s);

#endif
