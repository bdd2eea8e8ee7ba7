/* record_output.h - write a recording to a file, or to a pipe that is slow. */
#ifndef RECORD_OUTPUT_H
#define RECORD_OUTPUT_H

#include "base/buf.h"

struct record_output {
	int fd;
	bool own;       /* fd is ours to close */
	int interrupt;  /* ends waiting for the reader if readable; or -1 */
	uint64_t bytes; /* written */
	int error;      /* errno of the write that failed; nothing follows */
};

void record_output_open(struct record_output *o, int fd, int interrupt);
void record_output_close(struct record_output *o);

/*
 * Write the bytes of out and remove them.  If the output is a pipe whose reader
 * is slow, up to may_wait bytes stay in out; for more, wait.  False if this, or
 * an earlier write, failed; out is then empty.
 */
bool record_output_write(struct record_output *o, struct buf *out,
			 size_t may_wait);

#endif
