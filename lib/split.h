/* split.h - a stream of samples, set apart by the calls they were taken in. */
#ifndef SPLIT_H
#define SPLIT_H

#include "bound.h"
#include "keep.h"
#include "marks.h"
#include "parts.h"
#include "role.h"
#include "splitby.h"

/* What a user asks for. */
struct split_option {
	struct regex *frame; /* calls are runs of it, or NULL */
	const char *name;    /* of the call */
	bool flat;           /* calls do not nest */
	struct bound *bound; /* rising; calls are in bands between them */
	size_t nbounds;
	struct splitby by; /* what parts are by, if not how long calls took */
	uint64_t longest;  /* so many calls are above the one bound, or 0; */
	bool together;     /* they are one part, not each its own */
	bool rereads;      /* the input can be read again */
	size_t memory;     /* bytes that calls may take while they wait */
	enum split_list {
		SPLIT_LIST_NONE,
		SPLIT_LIST_SLOW, /* above the highest bound */
		SPLIT_LIST_FAST, /* not above the lowest one */
		SPLIT_LIST_ALL
	} list; /* calls that are wanted one by one */
};

/*
 * Parts: what was in no call, what was in one that is not whole, and the calls
 * that did return: those up to the first bound, up to the next, and those
 * above the last; or behind that a part for each of the longest, or whatever
 * else parts are by.
 */
enum { SPLIT_OUTSIDE, SPLIT_UNFINISHED, SPLIT_BANDS };

/* All zero but for the options at the start; release with split_free(). */
struct split {
	struct split_option opt;
	struct roles roles; /* with the user's names of events */
	struct samples samples;
	struct calls calls;
	struct latency latency; /* of calls that returned */
	struct latency hits;    /* samples in each, of runs of a frame */
	struct parts parts;
	struct keep keep; /* calls; those to be listed when all is read */
	uint64_t ended[CALL_ENDS], lost;

	/* Below here is split.c's own. */
	enum { SPLIT_KEEPS, SPLIT_COUNTS, SPLIT_KNOWS, SPLIT_BLURS } mode;
	bool again;    /* all is read once more */
	uint64_t ties; /* so many of the longest took as long as the bound */
	struct marks marks; /* of stacks */
	uint32_t *bucket_part;
};

void split_begin(struct split *s);

/* Read a stream.  Ends the program with status 2 where it cannot be split. */
void split_read(struct split *s, struct input *in);

/*
 * All is read: find the bounds.  True if all has to be read once more, and
 * split_end() called again.
 */
bool split_end(struct split *s);

/* Whether parts are of calls. */
bool split_has_calls(const struct split *s);

/* Whether calls of a part are wanted one by one: these are in keep. */
bool split_lists(const struct split *s, uint32_t part);

void split_free(struct split *s);

#endif
