/* perfscript_expand.h - inlined functions in frames of perf script text. */
#ifndef PERFSCRIPT_EXPAND_H
#define PERFSCRIPT_EXPAND_H

#include "perf/perfscript_frame.h"

struct perfscript_expand;

/* NULL, with a message appended to *why, if the options cannot be used. */
struct perfscript_expand *
perfscript_expand_new(const struct perfscript_inline_options *options,
		      struct buf *why);

/* Print the notes about debug information that is missing, and free. */
void perfscript_expand_free(struct perfscript_expand *in, struct sink *out);

/* Push the frames of a sample, each with the functions inlined there. */
void perfscript_expand_push(struct perfscript_expand *in,
			    const struct perfscript_reader *how,
			    struct sink *out,
			    const struct perfscript_sample *s);

#endif
