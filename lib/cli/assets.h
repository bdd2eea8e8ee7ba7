/* assets.h - files built into the programs; build-aux/embed makes assets.c. */
#ifndef ASSETS_H
#define ASSETS_H

#include "base/str.h"

extern const struct str asset_flame_css;
extern const struct str asset_flame_js;
extern const struct str asset_heat_css;
extern const struct str asset_heat_js;
extern const struct str asset_time_css;
extern const struct str asset_time_js;
extern const struct str asset_timegrid_js;

/* The files of share/palettes; the last entry has a NULL name. */
struct asset {
	const char *name;
	const struct str *text;
};

extern const struct asset asset_palettes[];

/* The list in waits(5). */
extern const struct str asset_waits;

#endif
