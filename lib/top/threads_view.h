/* threads_view.h - the list of threads of foldtop(1). */
#ifndef THREADS_VIEW_H
#define THREADS_VIEW_H

#include "top/top.h"

/* Draw the listed threads, as many as there are lines for. */
void threads_view_draw(struct top *t);

#endif
