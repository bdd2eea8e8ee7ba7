/* classify.h - the frames of stacks with their classes' suffixes. */
#ifndef CLASSIFY_H
#define CLASSIFY_H

#include "folded.h"
#include "palette.h"
#include "stack.h"

struct classify;

/*
 * Classify frames by a palette: in holds frames as they were read, out gets
 * them as they are to be written, clean.  All three are the caller's, and
 * outlive what is returned.
 */
struct classify *classify_new(struct palette *p, struct intern *in,
			      struct intern *out);
void classify_free(struct classify *c);

/*
 * Take a stack of n frames of in, root first, and give the frames of out to
 * write: renamed, and with the suffix of their class if they have none.  If
 * rule is not NULL it gets the number of the rule that took each frame, or
 * the number of rules.  What a frame is by itself is found out once.
 */
void classify_stack(struct classify *c, const uint32_t *id, size_t n,
		    uint32_t *out, uint32_t *rule);

/* Append a stack, with ';' between frames, as it is to be written. */
void classify_text(struct classify *c, const struct stack *s, struct buf *text);

#endif
