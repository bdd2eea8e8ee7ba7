/* svgconfig.h - configuration of the script in a picture, as JSON. */
#ifndef SVGCONFIG_H
#define SVGCONFIG_H

#include "svg/svglegend.h"

/*
 * Append the configuration as one JSON object, without a newline.  top and
 * foot are the space above and below the rows of frames, in px.
 */
void svgconfig_add(struct buf *json, const struct svgdraw *d,
		   const struct svglegend *legend, double top, double foot);

#endif
