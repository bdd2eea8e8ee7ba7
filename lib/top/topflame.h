/* topflame.h - a flame graph of character cells, with a cursor. */
#ifndef TOPFLAME_H
#define TOPFLAME_H

#include "palette/palette.h"
#include "top/canvas.h"
#include "top/thread_activity.h"

/* The box of a frame, in eighths of a cell. */
struct topbox {
	uint32_t frame;
	uint32_t from, to;
};

/*
 * The caller sets the palette, the rest is zero; release with topflame_free().
 */
struct topflame {
	struct palette *palette; /* borrowed */
	uint32_t zoom;           /* the frame that is as wide as the screen */
	uint32_t cursor;         /* a frame */

	/* Private to topflame.c. */
	struct topbox *box; /* level by level, from left to right */
	size_t nbox, box_cap;
	size_t *level; /* where each level starts; then the end of the last */
	size_t nlevel, level_cap;
	size_t scroll; /* number of levels above the screen */
	uint32_t *colour;
	size_t colour_cap;
	uint32_t colours;
};

/*
 * Lay out the zoomed frame: callees below callers, siblings by name.  If the
 * frame of the cursor has no box, the cursor moves to a caller.
 */
void topflame_layout(struct topflame *f, const struct thread_activity *a,
		     size_t columns);

/*
 * Draw a number of lines.  Functions in matches are highlighted; it may be
 * NULL.
 */
void topflame_draw(struct topflame *f, const struct thread_activity *a,
		   struct canvas *c, size_t rows, const bool *matches);

enum topflame_direction {
	TOPFLAME_UP,   /* to the caller */
	TOPFLAME_DOWN, /* to the widest callee */
	TOPFLAME_LEFT, /* to a neighbour */
	TOPFLAME_RIGHT
};

/* Move the cursor. */
void topflame_walk(struct topflame *f, const struct thread_activity *a,
		   enum topflame_direction direction);

void topflame_free(struct topflame *f);

#endif
