/* topheader.h - the first lines of foldtop(1): total, process, classes. */
#ifndef TOPHEADER_H
#define TOPHEADER_H

#include "top/top.h"

/* How to show a class of waits. */
struct topheader_class {
	const char *name, *abbreviation, *column;
	unsigned style; /* for canvas_style() */
};

extern const struct topheader_class topheader_classes[WAIT_CLASSES];

/* Draw them, after canvas_begin(). */
void topheader_draw(struct top *t);

/* Draw a number of threads, or a share of all weight if that is unknown. */
void topheader_amount(struct top *t, double weight);

#endif
