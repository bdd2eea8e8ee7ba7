/* svgconfig.h - configuration of the script in a picture, as JSON. */
#ifndef SVGCONFIG_H
#define SVGCONFIG_H

#include "svg/svgdraw.h"

/*
 * Append the configuration as one JSON object, without a newline.  top and
 * foot are the space above and below the rows of frames, in px.
 */
void svgconfig_add(struct buf *json, const struct svgdraw *d, double top,
		   double foot);

#endif
