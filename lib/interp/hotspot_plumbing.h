/* hotspot_plumbing.h - functions by which HotSpot calls methods. */
#ifndef HOTSPOT_PLUMBING_H
#define HOTSPOT_PLUMBING_H

#include "interp/interp_plumbing.h"

extern const struct interp_plumbing hotspot_plumbing;

#endif
