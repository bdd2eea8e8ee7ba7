/* rawout.h - what a sampler takes, written as raw traces. */
#ifndef RAWOUT_H
#define RAWOUT_H

#include "jitnow.h"
#include "sampler.h"

/* Format: stacktrace(5). */
struct rawout;

/*
 * Begin, with a header that says how often samples are asked for.  Names of
 * JIT code are asked of jit, which outlives it.
 */
struct rawout *rawout_new(double hz, struct jitnow *jit);
void rawout_free(struct rawout *o);

/* For struct target_news, whose arg is o. */
void rawout_process(void *o, const struct target *t);
void rawout_map(void *o, const struct target *t, const struct proc_map *m,
		struct str build_id);

void rawout_sample(struct rawout *o, const struct sampled *s);

/*
 * A round is over, or at last all are: write to standard output what there is
 * of it, and code whose names have come since.
 */
void rawout_round(struct rawout *o, bool last);

#endif
