/* luajit_moved.h - stacks of values of LuaJIT that grow in this moment. */
#ifndef LUAJIT_MOVED_H
#define LUAJIT_MOVED_H

#include "interp/luajit_frame.h"

/*
 * A stack of values grows by a copy at another place.  Until lua_State has all
 * that changes, one of the two places is known to functions in C only: in a
 * register that they keep, or in their part of the C stack.
 */

/* If the base still is of the old place, set the one at the new place. */
void luajit_moved_base(struct interp_copy *copy, struct luajit_state *state);

/*
 * If the stack of values is the old place, which is free already, set both the
 * stack and a base in it to the new place.  False if that is not found.
 */
bool luajit_moved_stack(struct interp_copy *copy, struct luajit_state *state,
			uint64_t *base);

#endif
