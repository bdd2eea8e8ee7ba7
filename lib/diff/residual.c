/* residual.c - the samples of frames that no change explains yet. */
#include "diff/residual.h"

#include "base/mem.h"

#include <stdlib.h>

void
residual_init(struct residual *r, const struct sample_matrix *m)
{
	*r = (struct residual){ .matrix = m };
	r->slot = mem_zero(m->frames, sizeof(*r->slot));
}

void
residual_free(struct residual *r)
{
	free(r->slot);
	free(r->explained);
	free(r->is_explained);
}

void
residual_get(const struct residual *r, uint32_t frame, double *v)
{
	size_t i, runs = r->matrix->comparison->n;
	const double *explained;

	sample_matrix_get(r->matrix, frame, v);
	if (r->slot[frame] == 0)
		return;
	explained = r->explained + (r->slot[frame] - 1) * runs;
	/* Sums of the same numbers may differ by rounding. */
	for (i = 0; i < runs; i++)
		v[i] = v[i] > explained[i] ? v[i] - explained[i] : 0;
}

/* The slot of a frame, new if necessary. */
static size_t
get_slot(struct residual *r, uint32_t frame)
{
	size_t runs = r->matrix->comparison->n;

	if (r->slot[frame] != 0)
		return r->slot[frame] - 1;
	r->explained = mem_grow(r->explained, &r->explained_cap,
				(r->n + 1) * runs, sizeof(*r->explained));
	r->is_explained = mem_grow(r->is_explained, &r->is_explained_cap,
				   r->n + 1, sizeof(*r->is_explained));
	memset(r->explained + r->n * runs, 0, runs * sizeof(*r->explained));
	r->is_explained[r->n] = false;
	r->slot[frame] = (uint32_t)++r->n;
	return r->n - 1;
}

void
residual_explain(struct residual *r, uint32_t frame)
{
	const struct trie_frame *f = r->matrix->comparison->trie.frame;
	size_t i, at, runs = r->matrix->comparison->n;
	double *v = mem_zero(runs, sizeof(*v));
	uint32_t up;

	residual_get(r, frame, v);
	for (up = frame; up != 0; up = f[up].parent) {
		at = get_slot(r, up);
		for (i = 0; i < runs; i++)
			r->explained[at * runs + i] += v[i];
	}
	r->is_explained[r->slot[frame] - 1] = true;
	free(v);
}

bool
residual_is_explained(const struct residual *r, uint32_t frame)
{
	const struct trie_frame *f = r->matrix->comparison->trie.frame;

	while (frame != 0 &&
	       (r->slot[frame] == 0 || !r->is_explained[r->slot[frame] - 1]))
		frame = f[frame].parent;
	return frame != 0;
}
