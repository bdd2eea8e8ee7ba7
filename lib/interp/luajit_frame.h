/* luajit_frame.h - states and frames of LuaJIT in memory. */
#ifndef LUAJIT_FRAME_H
#define LUAJIT_FRAME_H

#include "interp/interp_copy.h"
#include "interp/luajit_layout.h"

/* A lua_State, its stack of values and where this is used. */
struct luajit_state {
	uint64_t address, base, stack, stack_end, c_frame;
};

/* A frame in a stack of values. */
struct luajit_frame {
	uint64_t function; /* address of the GCfunc */
	bool is_lua;
	uint64_t proto; /* if it is of Lua */
	uint64_t link;
	unsigned type;
	bool from_c;           /* C called it */
	uint64_t previous, pc; /* its caller's base and pc; pc may be 0 */
};

/* Read aligned memory. */
bool luajit_frame_get(struct interp_copy *copy, uint64_t address, void *to,
		      size_t n);

/* Read the lua_State at an address; false if there is none of the global. */
bool luajit_frame_state(struct interp_copy *copy, uint64_t global,
			uint64_t address, struct luajit_state *state);

/* Whether an address may be a base. */
bool luajit_frame_in(const struct luajit_state *state, uint64_t address);

/* Read a frame by its base; false if there is none that links to another. */
bool luajit_frame_read(struct interp_copy *copy,
		       const struct luajit_state *state, uint64_t base,
		       struct luajit_frame *f);

/* Find the base of the caller of a frame, by the pc of the call. */
bool luajit_frame_caller(struct interp_copy *copy, uint64_t base, uint64_t pc,
			 uint64_t *caller);

/* Whether the function of a frame is of Lua and has an instruction. */
bool luajit_frame_has_code(struct interp_copy *copy,
			   const struct luajit_frame *f, uint64_t pc);

#endif
