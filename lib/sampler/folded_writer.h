/* folded_writer.h - write samples as folded text. */
#ifndef FOLDED_WRITER_H
#define FOLDED_WRITER_H

#include "sampler/jit_refresh.h"
#include "sampler/sampler.h"
#include "sampler/snapshot.h"
#include "sampler/thread_dump.h"
#include "symbols/resolve.h"

/* The output is a stream of snapshots, one a second, as in folded(5). */
struct folded_writer;

struct folded_writer_options {
	/* Receives all stacks, in place of the output; NULL: none does. */
	struct thread_dump *dump;
	struct resolver *resolver;
	struct jit_refresh *jit;
	/* Has the functions of interpreters; NULL if samples have none. */
	const struct interp_functions *functions;
	struct snapshot_source from;
	double hz;
	bool with_state;    /* the leaf of a stack says what the thread does */
	bool with_blockers; /* and who has the lock that it waits for */
	bool with_tid;      /* stacks begin with NAME-PID/TID */
	bool no_native;     /* only functions of interpreters */
	bool with_lines;    /* of functions of interpreters */
};

/* The pointers are the caller's and outlive w. */
struct folded_writer *
folded_writer_new(const struct folded_writer_options *options);
void folded_writer_free(struct folded_writer *w);

void folded_writer_sample(struct folded_writer *w,
			  const struct thread_sample *s);

/*
 * End a round: print a snapshot to standard output if it is due, or this was
 * the last round.
 */
void folded_writer_round(struct folded_writer *w, bool last);

#endif
