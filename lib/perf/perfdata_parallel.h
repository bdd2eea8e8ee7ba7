/* perfdata_parallel.h - read a perf.data file by several threads. */
#ifndef PERFDATA_PARALLEL_H
#define PERFDATA_PARALLEL_H

#include "perf/codetokens.h"
#include "perf/perfdata_samples.h"
#include "reader/sink.h"

/* The last stack as tokens of a sink. */
struct perfdata_tokens {
	struct codetokens codes;
	uint32_t *token;
	size_t cap;
	size_t announced; /* events, to the sink */
};

struct perfdata_parallel {
	unsigned threads;

	/* Push samples, in any thread. */
	void (*push)(struct perfdata_samples *samples,
		     struct perfdata_tokens *tokens, struct sink *out);
};

/*
 * If the recording is large enough, push its samples.  Otherwise push none or
 * some: the caller pushes the rest of the samples, if there are any.  The sink
 * then has what it would have if one thread had read all.
 *
 * Each thread unwinds the stacks of a part, and asks one resolver for code that
 * it has not seen.  If a part turns out to depend on others, what the threads
 * did is dropped.
 */
void perfdata_parallel_read(const struct perfdata_parallel *p,
			    struct perfdata_samples *samples,
			    struct perfdata_tokens *tokens, struct sink *out);

#endif
