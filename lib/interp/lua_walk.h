/* lua_walk.h - the frames of a thread of Lua. */
#ifndef LUA_WALK_H
#define LUA_WALK_H

#include "interp/lua_functions.h"

/* What a lua_State is doing. */
enum lua_activity {
	LUA_NO_STATE, /* there is no lua_State at this address */
	LUA_IDLE,     /* it executes nothing, or has ended with an error */
	LUA_YIELDING, /* it is suspended, or about to be */
	LUA_ACTIVE
};

enum lua_activity lua_walk_state(const struct lua_layout *l,
				 struct interp_copy *copy, uint64_t state);

/* Walk the frames of a state, and of the coroutines that run on top of it. */
void lua_walk(const struct lua_layout *l, struct lua_functions *functions,
	      struct interp_copy *copy, uint64_t state, struct interp_stack *s);

#endif
