/* callstack_notes.h - notes on stacks of perf samples that are not whole. */
#ifndef CALLSTACK_NOTES_H
#define CALLSTACK_NOTES_H

#include "perf/callstack-internal.h"

/* As callstack_note(). */
bool callstack_notes_next(struct callstack_builder *b, struct buf *line);

#endif
