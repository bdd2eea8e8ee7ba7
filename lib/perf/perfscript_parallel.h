/* perfscript_parallel.h - read a file of perf script text by several threads.
 */
#ifndef PERFSCRIPT_PARALLEL_H
#define PERFSCRIPT_PARALLEL_H

#include "perfscript/perfscript.h"
#include "reader/sink.h"

struct perfscript_parallel {
	unsigned threads;

	/* Push the samples of an input, in the calling thread and in order. */
	void (*push)(void *arg, struct perfscript *text, struct input *in,
		     struct sink *out);

	/*
	 * Push those of a part, in any thread.  False if the result depends on
	 * samples in other parts.
	 */
	bool (*push_part)(void *arg, struct perfscript *text, struct input *in,
			  struct sink *out);
	void *arg;
};

/*
 * If in is a file that is large enough, push its samples but for those of the
 * last part, which the caller reads from there on.  The sink then has what it
 * would have if one thread had read all.
 *
 * The file is cut after blank lines that end samples.  If a part turns out to
 * depend on others, what the threads did is dropped.
 */
void perfscript_parallel_read(const struct perfscript_parallel *p,
			      struct perfscript *text, struct input *in,
			      struct sink *out);

#endif
