/* perfscript_reader.h - reads perf script text into a sink. */
#ifndef PERFSCRIPT_READER_H
#define PERFSCRIPT_READER_H

#include "jit/jitopt.h"
#include "perf/perfscript_inline.h"
#include "reader/reader.h"

struct perfscript_reader {
	bool with_source; /* the text has source lines: perf script -F +srcline
			   */
	bool exact;       /* look callers up at the return address */
	unsigned threads; /* that may read parts of a file; 0 means 1 */
	bool insns;       /* push the instruction of JIT code as a leaf */
	const struct jitopt *jit;
	/* To expand inlined functions, from the files in the text; or NULL. */
	const struct perfscript_inline_options *code;
	/* Called for each new frame, to change it; or NULL. */
	void (*change)(void *arg, struct frame *f);
	void *arg;
};

/*
 * Push all samples of the input into the sink.  False, with a message appended
 * to *why, if a file that names JIT code is no such file.
 */
bool perfscript_reader_read(const struct perfscript_reader *how,
			    struct input *in, struct sink *out,
			    struct buf *why);

#endif
