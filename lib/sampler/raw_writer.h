/* raw_writer.h - write samples as a raw trace. */
#ifndef RAW_WRITER_H
#define RAW_WRITER_H

#include "sampler/jit_refresh.h"
#include "sampler/sampler.h"

/* The format is stacktrace(5). */
struct raw_writer;

struct raw_writer_options {
	double hz;
	struct jit_refresh *jit; /* has the names of JIT code */
	/* Has the functions of interpreters; NULL if samples have none. */
	const struct interp_functions *functions;
	bool no_native; /* only functions of interpreters */
};

/* Begin with a header.  The pointers are the caller's and outlive w. */
struct raw_writer *raw_writer_new(const struct raw_writer_options *options);
void raw_writer_free(struct raw_writer *w);

/* Write a process and a mapping; arg is w.  For struct live_process_events. */
void raw_writer_process(void *arg, const struct live_process *p);
void raw_writer_map(void *arg, const struct live_process *p,
		    const struct proc_map *m, struct str build_id);

void raw_writer_sample(struct raw_writer *w, const struct thread_sample *s);

/*
 * End a round, or the last one: print it to standard output, and JIT code that
 * has got a name since it was sampled.
 */
void raw_writer_round(struct raw_writer *w, bool last);

#endif
