/* assets.h - files that are part of the programs; made by build-aux/embed. */
#ifndef ASSETS_H
#define ASSETS_H

#include "str.h"

extern const struct str asset_flame_css;
extern const struct str asset_flame_js;
extern const struct str asset_default_palette;

#endif
