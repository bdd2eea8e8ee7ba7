/* frames.h - stacks as numbers of frames, for many stacks. */
#ifndef FRAMES_H
#define FRAMES_H

#include "buf.h"
#include "intern.h"

/*
 * The same as stack_split() of folded.h, for a profile of millions of stacks:
 * the frames of a stack are looked up together, so that the time until memory
 * answers is spent once for all of them.
 */
struct frames {
	uint32_t *id; /* of the stack last split, root first */
	size_t n;

	/* Its own. */
	struct intern *names;
	struct known *known;
	struct piece *piece;
	size_t *end;
	size_t id_cap, piece_cap, end_cap;
	struct buf text; /* of that stack */
};

/* The table of names outlives it. */
void frames_init(struct frames *f, struct intern *names);
void frames_free(struct frames *f);

/* Take a stack apart, whose frames have ';' between them. */
void frames_split(struct frames *f, struct str text);

#endif
