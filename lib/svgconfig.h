/* svgconfig.h - what a picture's script must know, beside its tables. */
#ifndef SVGCONFIG_H
#define SVGCONFIG_H

#include "svgdraw.h"

/*
 * Append it as a JSON object, without a line's end; top and foot, px, are
 * above and below the rows of frames.
 */
void svgconfig_add(struct buf *json, const struct svgdraw *d, double top,
		   double foot);

#endif
