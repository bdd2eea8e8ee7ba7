/* topsummary.h - a profile in a dozen lines, for foldtop(1) --summary. */
#ifndef TOPSUMMARY_H
#define TOPSUMMARY_H

#include "top/top.h"

/*
 * Draw, after top_refresh(), the functions with most own time, then those whose
 * callees take most, at most t->rows of each; and for threads that wait, what
 * they do.
 */
void topsummary_draw(struct top *t);

#endif
