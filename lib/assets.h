/* assets.h - files that are part of the programs; made by build-aux/embed. */
#ifndef ASSETS_H
#define ASSETS_H

#include "str.h"

extern const struct str asset_flame_css;
extern const struct str asset_flame_js;
extern const struct str asset_heat_css;
extern const struct str asset_heat_js;

/* Those of share/palettes, by name; the last one has none. */
struct asset {
	const char *name;
	const struct str *text;
};

extern const struct asset asset_palettes[];

/* The list of waits(5). */
extern const struct str asset_waits;

#endif
