/* uprobe.h - a probe of a function of a program or library. */
#ifndef UPROBE_H
#define UPROBE_H

#include "record/event_names.h"
#include "record/probe_places.h"

/*
 * Each time that a thread reaches one of its places, or returns from the
 * function there, is an event.
 *
 * probe_guard.h makes the probes.
 */
struct uprobe {
	struct str path;
	bool of_return;
	bool has_stack;  /* stack is set */
	uint32_t stack;  /* bytes of each stack; 0: no call chain either */
	struct str args; /* what to fetch at all places, as in tracefs */
	struct str vars; /* variables to fetch, see probe_args.h */
	struct probe_places places;
	struct str tracepoint; /* "system:name", when it is placed */
};

/* Whether an event begins as a probe does. */
bool uprobe_is(struct str text);

/*
 * Parse "uprobe:PATH:FUNCTION", "uprobe:PATH:+OFFSET,+OFFSET" or
 * "uretprobe:...", with terms as in "uprobe/name=f,stack=4096/:PATH:FUNCTION",
 * and find the places.  Nothing is probed yet.  False with the reason appended
 * to why.
 */
bool uprobe_find(struct str text, struct event_request *e, struct arena *names,
		 struct buf *why);

void uprobe_free(struct uprobe *u);

#endif
