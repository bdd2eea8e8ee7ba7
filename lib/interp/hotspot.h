/* hotspot.h - HotSpot, the virtual machine of OpenJDK, which executes Java. */
#ifndef HOTSPOT_H
#define HOTSPOT_H

#include "interp/interp_language.h"

extern const struct interp_language hotspot_language;

#endif
