/* verdict.h - which frames folddiff found to have changed; folded(5). */
#ifndef VERDICT_H
#define VERDICT_H

#include "base/arena.h"
#include "folded/meta.h"
#include "tree/tree.h"

/* A frame that was tested, with the values of its metadata. */
struct verdict {
	struct str stack; /* from the root to the frame */
	struct str class; /* up, down, new, gone, moved, larger or smaller */
	struct str lo, hi, q; /* of the ratio, as written; may be empty */
};

/* All zero at the start; release with verdict_free(). */
struct verdicts {
	bool tested;        /* a header has test=1 or test=0 */
	bool any_tested;    /* test=1: else nothing could be tested */
	struct str assumed; /* how much runs differ, empty if measured */
	struct verdict *verdict;
	size_t n, cap;
	uint32_t *of; /* for each frame its index in verdict + 1, or 0 */
	struct arena text;
};

/* Note a metadata line: a header, or the line of a tested frame. */
void verdict_add(struct verdicts *v, const struct meta *m);

/* Find the tested frames in a finished tree. */
void verdict_resolve(struct verdicts *v, const struct tree *t);

/* The verdict on a frame, or NULL. */
static inline const struct verdict *
verdict_get(const struct verdicts *v, uint32_t i)
{
	return v == NULL || v->of == NULL || v->of[i] == 0 ?
		   NULL :
		   &v->verdict[v->of[i] - 1];
}

/*
 * Whether a verdict is weak: the frame is among the largest differences, but
 * not significant.
 */
static inline bool
verdict_is_weak(const struct verdict *v)
{
	return str_eq(v->class, STR("larger")) ||
	       str_eq(v->class, STR("smaller"));
}

void verdict_free(struct verdicts *v);

#endif
