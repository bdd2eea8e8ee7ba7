/* residual.h - the samples of frames that no change explains yet. */
#ifndef RESIDUAL_H
#define RESIDUAL_H

#include "diff/sample_matrix.h"

/*
 * Residuals of all frames, by run; at first all samples.  Few frames explain
 * anything, so only these and their callers take memory.  Release with
 * residual_free().
 */
struct residual {
	const struct sample_matrix *matrix;

	/* Private to residual.c. */
	uint32_t *slot;    /* by frame: 1 + index into the arrays below, or 0 */
	double *explained; /* samples that changes explain, by slot and run */
	bool *is_explained; /* by slot: the frame itself is a change */
	size_t n, explained_cap, is_explained_cap;
};

/* The matrix must outlive r. */
void residual_init(struct residual *r, const struct sample_matrix *m);
void residual_free(struct residual *r);

/* Copy the residual of a frame, by run, to v. */
void residual_get(const struct residual *r, uint32_t frame, double *v);

/*
 * The frame explains its residual: subtract it from the frame and all its
 * callers.
 */
void residual_explain(struct residual *r, uint32_t frame);

/* Whether the frame or one below it explains samples. */
static inline bool
residual_is_reduced(const struct residual *r, uint32_t frame)
{
	return r->slot[frame] != 0;
}

/* Whether the frame or one of its callers explains its own samples. */
bool residual_is_explained(const struct residual *r, uint32_t frame);

#endif
