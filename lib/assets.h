/* assets.h - files that are part of the programs; made by build-aux/embed. */
#ifndef ASSETS_H
#define ASSETS_H

#include "str.h"

extern const struct str asset_flame_css;
extern const struct str asset_flame_js;
extern const struct str asset_heat_css;
extern const struct str asset_heat_js;

/* The palettes default and jit, and what these include. */
extern const struct str asset_beam_palette;
extern const struct str asset_cpython_palette;
extern const struct str asset_default_palette;
extern const struct str asset_dotnet_palette;
extern const struct str asset_jit_palette;
extern const struct str asset_jsc_palette;
extern const struct str asset_julia_palette;
extern const struct str asset_jvm_palette;
extern const struct str asset_kernel_palette;
extern const struct str asset_luajit_palette;
extern const struct str asset_php_palette;
extern const struct str asset_spidermonkey_palette;
extern const struct str asset_suffixes_palette;
extern const struct str asset_tiers_palette;
extern const struct str asset_typhon_palette;
extern const struct str asset_v8_palette;
extern const struct str asset_wasm_palette;

/* The list of waits(5). */
extern const struct str asset_waits;

#endif
