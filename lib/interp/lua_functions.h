/* lua_functions.h - functions and lines of Lua. */
#ifndef LUA_FUNCTIONS_H
#define LUA_FUNCTIONS_H

#include "interp/interp_functions.h"
#include "interp/interp_stack.h"
#include "interp/lua_layout.h"

/*
 * A cache of the functions of a process.  The identity of a function is copied
 * together with the frames, because the function may be collected afterwards.
 */
struct lua_functions;

struct lua_functions *lua_functions_new(const struct lua_layout *l);
void lua_functions_free(struct lua_functions *all);

/*
 * The number of the function whose Proto is at an address, for a frame's code;
 * false if it cannot be read.
 */
bool lua_functions_find(struct lua_functions *all, struct interp_copy *copy,
			uint64_t address, uint64_t *number);

/*
 * Set the functions and lines of frames, whose ip is the address after the
 * current instruction.  A function has no name in Lua but that of a variable;
 * it is named by where it begins, "file.lua:12", and the code of a file by
 * "file.lua:0", as LuaJIT's profiler does.
 */
void lua_functions_name(struct lua_functions *all,
			const struct interp_reader *reader,
			struct interp_functions *functions,
			struct interp_stack *s);

#endif
