/* marks.h - what is to be known of a stack, found out once. */
#ifndef MARKS_H
#define MARKS_H

#include "intern.h"
#include "regex.h"

enum { MARK_KNOWN = 1, MARK_WAITS = 2, MARK_FRAME = 4 };

/* All zero but for the frame at the start; release with marks_free(). */
struct marks {
	struct regex *frame; /* that is looked for, the caller's; or NULL */
	uint8_t *mark;       /* by stack; 0: not known yet */
	size_t n, cap;
};

void marks_free(struct marks *m);

/* Of a stack of these, by its number: whether it waits, and has the frame. */
unsigned marks_of(struct marks *m, const struct intern *stacks, uint32_t stack);

#endif
