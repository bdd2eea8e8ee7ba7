/*
 * column.h - stacks as tracers print them: a frame a line, the leaf first,
 * and below them how often.
 */
#ifndef COLUMN_H
#define COLUMN_H

#include "reader.h"

/* What a line is. */
enum column_kind {
	COLUMN_OTHER,
	COLUMN_TROUBLE, /* what a tracer says of its own */
	COLUMN_FRAME,   /* surely */
	COLUMN_NAME, /* or a key of the script, if frames are indented more */
	COLUMN_TABLE /* begins one, up to a blank line, in a count's place */
};

/*
 * Read such stacks.  take is given each other line, without the blanks around
 * it; it fills the frame in, where it is one.
 */
void column_read(struct input *in, struct sink *out,
		 enum column_kind (*take)(struct str line,
					  struct frame *frame));

/* The name before an offset, "name+0x1f/0x30" or "name+31". */
struct str column_name(struct str s);

/*
 * Fill in a frame of "name+0x1f", or of "0x1f" alone, which is an address
 * without a name.
 */
void column_frame(struct str s, struct frame *frame);

#endif
