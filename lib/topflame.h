/* topflame.h - a flame graph of character cells, which can be walked. */
#ifndef TOPFLAME_H
#define TOPFLAME_H

#include "activity.h"
#include "canvas.h"
#include "palette.h"

/* A frame where it is drawn: from one to another eighth of a cell. */
struct topbox {
	uint32_t frame;
	uint32_t from, to;
};

/* All zero but for the palette at the start; release with topflame_free(). */
struct topflame {
	struct palette *palette; /* the caller's */
	uint32_t zoom, at;       /* frames: as wide as the screen; the cursor */

	/* Below here is topflame.c's own. */
	struct topbox *box; /* level by level, from left to right */
	size_t nbox, box_cap;
	size_t *level; /* where each begins, and where the last ends */
	size_t nlevel, level_cap;
	size_t scroll; /* levels above the screen */
	uint32_t *colour;
	size_t colour_cap;
	uint32_t colours;
};

/*
 * Lay out what is in the zoomed frame, callers above callees, siblings by
 * name; and walk the cursor to a frame that is there, if its own is not.
 */
void topflame_layout(struct topflame *t, const struct activity *a,
		     size_t columns);

/* Draw so many lines.  Functions that match are marked; NULL for none. */
void topflame_draw(struct topflame *t, const struct activity *a,
		   struct canvas *c, size_t rows, const bool *matches);

/* Walk: to the caller, to the widest callee, to a neighbour of its level. */
enum topflame_way { TOPFLAME_UP, TOPFLAME_DOWN, TOPFLAME_LEFT, TOPFLAME_RIGHT };
void topflame_walk(struct topflame *t, const struct activity *a,
		   enum topflame_way way);

void topflame_free(struct topflame *t);

#endif
