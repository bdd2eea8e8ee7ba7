/* perfdata_reader.h - reads perf.data into a sink. */
#ifndef PERFDATA_READER_H
#define PERFDATA_READER_H

#include "jit/jitopt.h"
#include "perf/perfdata_samples.h"
#include "reader/reader.h"

struct perfdata_reader {
	/* The reader itself sets sorted, others and resolve.jit. */
	const struct perfdata_samples_options *options;
	const struct jitopt *jit;
	/* Called for each new frame, to change it; or NULL. */
	void (*change)(void *arg, struct frame *f);
	void *arg;
	unsigned threads; /* for large files, without change; 0 is 1 */
};

/*
 * Push all samples of the input into the sink.  False, with a message appended
 * to *why, if the input or a file that names JIT code is not what the options
 * need; samples may have been pushed before.
 */
bool perfdata_reader_read(const struct perfdata_reader *how, struct input *in,
			  struct sink *out, struct buf *why);

#endif
