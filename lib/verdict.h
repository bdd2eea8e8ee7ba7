/* verdict.h - what folddiff found out of frames; folded(5). */
#ifndef VERDICT_H
#define VERDICT_H

#include "arena.h"
#include "meta.h"
#include "tree.h"

/* A frame that was judged, with what the metadata say of it. */
struct verdict {
	struct str stack;     /* from the root to the frame */
	struct str class;     /* up, down, new, gone or moved */
	struct str lo, hi, q; /* of the ratio, as written; may be empty */
};

/* All zero at the start; release with verdicts_free(). */
struct verdicts {
	bool tested; /* a header says test=1 */
	struct verdict *verdict;
	size_t n, cap;
	uint32_t *of; /* for each frame, 1 + its place in verdict, or 0 */
	struct arena text;
};

/* Take in a metadata line: a header, or one of a node. */
void verdicts_add(struct verdicts *v, const struct meta *m);

/* Find the frames in a finished tree. */
void verdicts_resolve(struct verdicts *v, const struct tree *t);

/* The verdict on a frame, or NULL. */
static inline const struct verdict *
verdicts_get(const struct verdicts *v, uint32_t i)
{
	return v == NULL || v->of == NULL || v->of[i] == 0 ?
		   NULL :
		   &v->verdict[v->of[i] - 1];
}

void verdicts_free(struct verdicts *v);

#endif
