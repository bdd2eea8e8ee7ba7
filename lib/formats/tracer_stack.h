/*
 * tracer_stack.h - reads stacks as tracers print them: one frame a line, leaf
 * first, and the count below.
 */
#ifndef TRACER_STACK_H
#define TRACER_STACK_H

#include "reader/reader.h"

/* What a line is. */
enum tracer_stack_kind {
	TRACER_STACK_OTHER,
	TRACER_STACK_TROUBLE, /* a message about lost data */
	TRACER_STACK_FRAME,   /* certainly a frame */
	TRACER_STACK_NAME, /* a frame; or a key, if frames are indented more */
	TRACER_STACK_TABLE /* a table instead of a count, up to a blank line */
};

/*
 * Read an input to its end and push its samples, leaf first.  parse() gets each
 * line that is neither blank nor a number, without the blanks around it.  If
 * the line is a frame, or may be one, it fills in the frame.
 */
void tracer_stack_read(struct input *in, struct sink *out,
		       enum tracer_stack_kind (*parse)(struct str line,
						       struct frame *frame));

/* The name before an offset, "name+0x1f/0x30" or "name+31". */
struct str tracer_stack_name(struct str s);

/* Fill in a frame from "name+0x1f", or from an address alone, "0x1f". */
void tracer_stack_frame(struct str s, struct frame *frame);

#endif
