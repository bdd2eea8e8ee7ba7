/* left.h - what is left of frames when others are to blame for their part. */
#ifndef LEFT_H
#define LEFT_H

#include "rows.h"

/*
 * Of each frame the samples by run that no frame below it explains: at first
 * all of them.  Few frames explain anything, so only what they and their
 * callers have lost is kept.  Release with left_free().
 */
struct left {
	const struct rows *rows;

	/* Below here is left.c's own. */
	uint32_t *place; /* of a frame: 1 + its place in lost, or 0 */
	double *lost;    /* samples by run */
	bool *gone;      /* the frame itself explains what it had */
	size_t n, lost_cap, gone_cap;
};

/* The rows outlive it. */
void left_init(struct left *l, const struct rows *r);
void left_free(struct left *l);

/* What is left of a frame, by run, copied to v. */
void left_get(const struct left *l, uint32_t frame, double *v);

/* Let what is left of a frame be explained: all its callers lose it. */
void left_explain(struct left *l, uint32_t frame);

/* Whether a frame or one below it explains something. */
static inline bool
left_is_less(const struct left *l, uint32_t frame)
{
	return l->place[frame] != 0;
}

/* Whether a frame or one of its callers explains what it has. */
bool left_is_explained(const struct left *l, uint32_t frame);

#endif
