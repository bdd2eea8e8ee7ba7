/* jit_inlined.h - functions that JIT code has inlined, for a sink. */
#ifndef JIT_INLINED_H
#define JIT_INLINED_H

#include "jit/jit.h"
#include "reader/sink.h"

/*
 * Give a frame the inlined functions of a symbol.  The caller frees the result,
 * which the frame points to; it is NULL if there are none.
 */
struct inlined_frame *jit_inlined_frames(const struct jit_symbol *symbol,
					 struct frame *frame);

/*
 * perf inject --jit gives code of a JVM the lines of the innermost inlined
 * methods, without their names.  Move the line of such a frame to *place, which
 * is a frame of its own then.
 */
void jit_inlined_move_line(struct frame *frame, struct inlined_frame *place);

#endif
