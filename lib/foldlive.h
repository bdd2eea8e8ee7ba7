/* foldlive.h - what a sampler takes, written as folded text as it comes. */
#ifndef FOLDLIVE_H
#define FOLDLIVE_H

#include "jitnow.h"
#include "resolve.h"
#include "sampler.h"

/* A stream of snapshots, one a second; folded(5). */
struct foldlive;

/*
 * state adds what each thread does as its leaf; the resolver, and what keeps
 * its names of JIT code, outlive it.
 */
struct foldlive *foldlive_new(struct resolver *r, struct jitnow *jit, double hz,
			      bool state);
void foldlive_free(struct foldlive *o);

void foldlive_sample(struct foldlive *o, const struct sampled *s);

/* A round is over: write to standard output what is due, or all at last. */
void foldlive_round(struct foldlive *o, bool last);

#endif
