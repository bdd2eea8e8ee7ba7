/* difflegend.h - what the colours of a tested diff mean. */
#ifndef DIFFLEGEND_H
#define DIFFLEGEND_H

#include "svg/svgdraw.h"

/*
 * Append two lines of text below the colours: what grey, pale and strong mean,
 * and which spread between runs folddiff(1) assumed.  y is the first base line,
 * 0 for none.
 */
void difflegend_add(const struct svgdraw *d, double y);

#endif
