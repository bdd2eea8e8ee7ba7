/* call_watch.h - watch a recording for a call that takes long. */
#ifndef CALL_WATCH_H
#define CALL_WATCH_H

#include "base/str.h"
#include "base/u64map.h"

/* A call begins, or ends. */
struct call_edge {
	uint64_t time; /* ns */
	int64_t tid;
	bool ends;
};

/* The open calls of a thread. */
struct thread_calls;

/*
 * All zero watches nothing.  Set what is wanted; release with
 * call_watch_free().
 */
struct call_watch {
	struct str enter, leave; /* names of events: a call begins, it ends */
	uint64_t bound;          /* ns */
	/*
	 * The call begins with the last of several visits.  Otherwise calls
	 * are nested, and a return is of the call that began last.
	 */
	bool last;
	uint64_t took; /* ns of the first call that took longer; 0: none yet */

	/* Private to call_watch.c. */
	struct call_edge *edge; /* not looked at yet */
	size_t n, cap;
	uint64_t complete; /* all edges before this time are known */
	struct u64map by_tid;
	struct thread_calls *thread;
	size_t threads, threads_cap;
};

/*
 * Parse "ENTER,LEAVE>50ms", the names of two events and a time; false if the
 * text is another.  The names are parts of it.
 */
bool call_watch_parse(struct call_watch *w, struct str text);

void call_watch_free(struct call_watch *w);

/* Add a sample of one of the events, in any order within a pass. */
void call_watch_add(struct call_watch *w, const struct call_edge *edge);

/*
 * All rings were read in a pass that began at this time, ns.  Look at what is
 * complete: events from before the pass before.  Returns whether a call took
 * longer than the bound.
 */
bool call_watch_pass(struct call_watch *w, uint64_t began);

#endif
