/* lua_plumbing.h - functions by which Lua calls functions. */
#ifndef LUA_PLUMBING_H
#define LUA_PLUMBING_H

#include "interp/interp_plumbing.h"

extern const struct interp_plumbing lua_plumbing;

#endif
