/* top.h - what foldtop shows, and the keys that change it; foldtop(1). */
#ifndef TOP_H
#define TOP_H

#include "live.h"
#include "regex.h"
#include "topflame.h"
#include "toplist.h"

enum top_view { TOP_FUNCTIONS, TOP_STACKS, TOP_FLAME };

/* All classes together. */
#define TOP_ALL (-1)

/*
 * All zero but for what the caller sets at the start; top_init(), then
 * top_free().
 */
struct top {
	struct live *live; /* the caller's, as are the following */
	struct canvas canvas;
	enum top_view view;
	bool by_total, since_start, with_idle;
	size_t rows;     /* of a table in a file */
	bool has_ended;  /* there is no more to read */
	bool wants_quit; /* by a key */

	/* What is shown; top_refresh() sets it. */
	struct activity activity;
	struct toplist list;
	struct topflame flame;
	struct window_total total;
	double samples;           /* behind what is shown */
	double shown;             /* weight of that */
	size_t had[WAIT_CLASSES]; /* rows, of which those in list are shown */

	/* What the keys did. */
	int only; /* a class, or TOP_ALL */
	bool is_frozen, helps, types, has_focus;
	uint32_t focus; /* function: only stacks that it is on */
	size_t cursor, scroll;
	struct buf pattern; /* what is searched for, empty for nothing */
	struct regex *regex;
	bool *matches; /* by function, NULL for all */
};

void top_init(struct top *t, const struct waits *waits,
	      struct palette *palette);
void top_free(struct top *t);

/* Search for a pattern; false, and all as it was, if it is none. */
bool top_search(struct top *t, struct str pattern);

/* Sum up what was read, unless it is frozen, and what of it is shown. */
void top_refresh(struct top *t);

/* Whether the view has functions or stacks in classes, with headings. */
bool top_has_classes(const struct top *t);

/* Draw all of it on the canvas; topdraw.c. */
void top_draw(struct top *t);

/* Do what a key says; topkeys.c. */
void top_key(struct top *t, int key);

/* What may stand on the screen between the first lines and the last. */
size_t top_body(const struct top *t);

#endif
