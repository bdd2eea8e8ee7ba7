/* luajit.h - LuaJIT, of which OpenResty has its own. */
#ifndef LUAJIT_H
#define LUAJIT_H

#include "interp/interp_language.h"

extern const struct interp_language luajit_language;

#endif
