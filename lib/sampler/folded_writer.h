/* folded_writer.h - write samples as folded text. */
#ifndef FOLDED_WRITER_H
#define FOLDED_WRITER_H

#include "sampler/jit_refresh.h"
#include "sampler/sampler.h"
#include "symbols/resolve.h"

/* The output is a stream of snapshots, one a second, as in folded(5). */
struct folded_writer;

/*
 * With with_state, the leaf of each stack says what the thread does.  The
 * resolver and jit are the caller's and outlive w.
 */
struct folded_writer *folded_writer_new(struct resolver *r,
					struct jit_refresh *jit, double hz,
					bool with_state);
void folded_writer_free(struct folded_writer *w);

void folded_writer_sample(struct folded_writer *w,
			  const struct thread_sample *s);

/*
 * End a round: print a snapshot to standard output if it is due, or this was
 * the last round.
 */
void folded_writer_round(struct folded_writer *w, bool last);

#endif
