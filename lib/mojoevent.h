/* mojoevent.h - the events of MOJO, mojo.h, one by one. */
#ifndef MOJOEVENT_H
#define MOJOEVENT_H

#include "str.h"

enum mojo_kind {
	MOJO_METADATA = 1,
	MOJO_STACK,
	MOJO_FRAME,
	MOJO_FRAME_INVALID,
	MOJO_FRAME_REF,
	MOJO_FRAME_KERNEL,
	MOJO_GC,
	MOJO_IDLE,
	MOJO_TIME,
	MOJO_MEMORY,
	MOJO_STRING,
	MOJO_STRING_REF,
	MOJO_REPEAT,
	MOJO_TASK_STACK,
	MOJO_TASK_WAITER,
	MOJO_KINDS
};

/* Numbers, and then strings, which are part of what it was cut off. */
struct mojo_event {
	int kind;
	uint64_t number[7];
	bool minus; /* of the last one */
	struct str text[2];
};

/*
 * Cut a number off: six bits and its sign are in the first byte, and seven in
 * each that follows.  False if it does not end in s.
 */
bool mojo_cut_number(struct str *s, uint64_t *number, bool *minus);

/*
 * Cut an event of a file of this version off bytes, of which there must be one.
 * False if it is not all there, or if its kind, which is set, is not known.
 */
bool mojo_cut_event(struct str *rest, uint64_t version, struct mojo_event *e);

#endif
