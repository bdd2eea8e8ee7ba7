/* luajit_functions.h - functions and lines of LuaJIT. */
#ifndef LUAJIT_FUNCTIONS_H
#define LUAJIT_FUNCTIONS_H

#include "interp/interp_functions.h"
#include "interp/interp_stack.h"

/* A cache of the functions of a process. */
struct luajit_functions;

struct luajit_functions *luajit_functions_new(void);
void luajit_functions_free(struct luajit_functions *all);

/* A GCproto in a copy: the number for a frame's code, and its instructions. */
struct luajit_proto {
	uint64_t number;
	uint64_t code, code_end;
};

/*
 * Find the function whose GCproto is at an address; false if there is none.
 * trace is the number of a trace that begins in it, or 0 for the function.
 */
bool luajit_functions_find(struct luajit_functions *all,
			   struct interp_copy *copy, uint64_t address,
			   uint32_t trace, struct luajit_proto *proto);

/*
 * Set the functions and lines of frames, whose ip is the address after the
 * current instruction, or 0.  Functions are named as those of Lua, and a trace
 * "[trace 12]", with the file where it begins.
 */
void luajit_functions_name(struct luajit_functions *all,
			   const struct interp_reader *reader,
			   struct interp_functions *functions,
			   struct interp_stack *s);

#endif
