/* topdraw.h - draws the screen of foldtop(1). */
#ifndef TOPDRAW_H
#define TOPDRAW_H

#include "top/top.h"

/* Draw all of it on t->canvas. */
void topdraw(struct top *t);

#endif
