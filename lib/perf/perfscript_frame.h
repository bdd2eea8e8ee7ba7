/* perfscript_frame.h - frames of perf script text, for a sink. */
#ifndef PERFSCRIPT_FRAME_H
#define PERFSCRIPT_FRAME_H

#include "perf/perfscript_reader.h"
#include "perfscript/perfscript.h"

/* Frame i of a sample; its slices live as long as the sample. */
struct frame perfscript_frame(const struct perfscript_sample *s, size_t i);

/*
 * Whether a frame's address is a return address: all are but the leaf's and the
 * one where the kernel interrupted user mode.
 */
bool perfscript_frame_is_return(const struct perfscript_sample *s, size_t i);

/* The token of a frame, which how->change() may change. */
uint32_t perfscript_frame_token(const struct perfscript_reader *how,
				struct sink *out, struct frame *frame,
				int flavour);

#endif
