/* luajit_walk.h - the frames of a thread of LuaJIT. */
#ifndef LUAJIT_WALK_H
#define LUAJIT_WALK_H

#include "interp/interp_binary.h"
#include "interp/interp_words.h"
#include "interp/luajit_functions.h"
#include "interp/luajit_layout.h"

struct luajit_vm {
	const struct luajit_layout *layout;
	uint64_t global;           /* address of the global_State */
	struct interp_range range; /* the interpreter's code, in assembler */
	struct luajit_functions *functions;
};

/*
 * The global_State of what may be a lua_State, by its first bytes; 0 if it is
 * none.  Sets *layout to the number of the layout.
 */
uint64_t luajit_walk_find(struct interp_copy *copy,
			  const char head[INTERP_WORDS_HEAD], size_t *layout);

/*
 * Walk the frames of the lua_State that runs, and of those that resumed it, if
 * it runs on the copied C stack; none otherwise.  False if there is no such
 * global_State any more.
 */
bool luajit_walk(const struct luajit_vm *vm, struct interp_copy *copy,
		 struct interp_stack *s);

#endif
