/* held_output.h - output that is held back while it may still be dropped. */
#ifndef HELD_OUTPUT_H
#define HELD_OUTPUT_H

#include "base/buf.h"
#include "io/spill.h"

/*
 * Output beyond 1 MiB is in a temporary file.  All zero is empty; set
 * file.what to name the output in messages.  Release with held_output_free().
 */
struct held_output {
	struct buf memory;
	struct spill file; /* what comes before the memory */
};

/* Hold back the bytes of a buffer, and empty the buffer. */
void held_output_add(struct held_output *h, struct buf *text);

/* Write what is held to f; nothing is held afterwards. */
void held_output_write(struct held_output *h, FILE *f);

/* Drop what is held. */
void held_output_drop(struct held_output *h);

void held_output_free(struct held_output *h);

#endif
