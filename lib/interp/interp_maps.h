/* interp_maps.h - runtimes that can only name their functions themselves. */
#ifndef INTERP_MAPS_H
#define INTERP_MAPS_H

#include "interp/interp_language.h"

extern const struct interp_language interp_maps_language;

#endif
