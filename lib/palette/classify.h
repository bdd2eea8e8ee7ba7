/* classify.h - rename frames and append the suffixes of their classes. */
#ifndef CLASSIFY_H
#define CLASSIFY_H

#include "folded/folded.h"
#include "folded/stack.h"
#include "palette/palette.h"

struct classify;

/*
 * Classify frames by a palette.  in has the frames as read; out receives the
 * frames to write, escaped.  The caller owns all three, and they must outlive
 * the result.
 */
struct classify *classify_new(struct palette *p, struct intern *in,
			      struct intern *out);
void classify_free(struct classify *c); /* may be NULL */

/*
 * Set out[i] to the frame to write for each of n frames, root first: renamed,
 * and with the suffix of its class unless it has a suffix.  id holds numbers in
 * the table in, out numbers in the table out.
 *
 * If rule is not NULL, set rule[i] to the number of the rule that matched, or
 * to the number of rules if none did.  Facts about a frame are cached.
 */
void classify_stack(struct classify *c, const uint32_t *id, size_t n,
		    uint32_t *out, uint32_t *rule);

/* Append the text of a stack to write, with ';' between frames. */
void classify_text(struct classify *c, const struct stack *s, struct buf *text);

#endif
