/* split.h - splits a sample stream by the calls in which samples were taken. */
#ifndef SPLIT_H
#define SPLIT_H

#include "split/call_backlog.h"
#include "split/event_role.h"
#include "split/latency_threshold.h"
#include "split/partition.h"
#include "split/splitby.h"
#include "split/stack_flags.h"

struct split_option {
	struct regex *frame; /* samples with this frame are a call, or NULL */
	const char *name;    /* of the call */
	bool flat;           /* calls do not nest */
	/* Split calls into bands between these; split_end() sorts them. */
	struct latency_threshold *threshold;
	size_t nthresholds;
	struct splitby by;     /* split by this instead of by latency */
	uint64_t longest;      /* split off this many longest calls, or 0 */
	bool join_longest;     /* as one part, not one part each */
	bool can_reread;       /* the input can be read twice */
	size_t backlog_memory; /* maximum size of the backlog, bytes */
	enum split_list {
		SPLIT_LIST_NONE,
		SPLIT_LIST_SLOW, /* above the highest threshold */
		SPLIT_LIST_FAST, /* up to the lowest threshold */
		SPLIT_LIST_ALL
	} list; /* the calls to list */
};

/*
 * Numbers of parts: samples outside of calls, samples in incomplete calls, then
 * the bands of complete calls.  The first band is up to the first threshold,
 * the last band is above the last.  Then come the parts of the longest calls,
 * or the parts of split_option.by.
 */
enum { SPLIT_OUTSIDE, SPLIT_UNFINISHED, SPLIT_BANDS };

/*
 * The caller sets opt and the events of roles, the rest is zero; release with
 * split_free().
 */
struct split {
	struct split_option opt;
	struct event_roles roles;
	struct samples samples;
	struct calls calls;
	struct latency latency;          /* of complete calls */
	struct latency samples_per_call; /* if opt.frame is set */
	struct partition parts;
	struct call_backlog backlog; /* at the end: the calls to list */
	uint64_t ended[CALL_ENDS];   /* number of calls */
	uint64_t lost;               /* records */

	/* Private to split.c. */
	enum {
		SPLIT_MODE_BACKLOG, /* calls wait for the thresholds */
		SPLIT_MODE_COUNT,   /* collect latencies, then read again */
		SPLIT_MODE_ASSIGN,  /* thresholds are known: assign calls */
		SPLIT_MODE_BUCKETS  /* calls of a latency bucket are a part */
	} mode;
	bool second_pass;
	uint64_t ties; /* longest calls that are as long as the threshold */
	struct stack_flags flags;
	uint32_t *bucket_part;
};

/* Prepare for the first split_read(). */
void split_begin(struct split *s);

/* Read a stream.  Ends the program with status 2 if it cannot be split. */
void split_read(struct split *s, struct input *in);

/*
 * All inputs are read: find the thresholds.  If the result is true, read all
 * inputs again and call split_end() again.
 */
bool split_end(struct split *s);

/* Whether the stream is split by calls. */
bool split_has_calls(const struct split *s);

/* Whether the calls of a part are to be listed; they are in the backlog. */
bool split_lists(const struct split *s, uint32_t part);

/* Release all but the options. */
void split_free(struct split *s);

#endif
