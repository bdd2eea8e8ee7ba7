/* lua.h - Lua, the interpreter of PUC-Rio. */
#ifndef LUA_H
#define LUA_H

#include "interp/interp_language.h"

extern const struct interp_language lua_language;

#endif
