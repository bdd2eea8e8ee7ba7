/* luajit_base.h - which frame of LuaJIT a thread executes. */
#ifndef LUAJIT_BASE_H
#define LUAJIT_BASE_H

#include "interp/luajit_frame.h"
#include "interp/luajit_walk.h"

/* Where a thread is. */
struct luajit_place {
	uint64_t base;
	uint64_t pc; /* after the current instruction; 0 if unknown */
	/*
	 * The frame of the VM that a trace runs in, or exits; 0: none does.  In
	 * the latter case, where the function that does it will return to.
	 */
	uint64_t jit_frame, jit_return;
	uint32_t trace; /* which one; 0 if it is not known */
	uint64_t trace_proto, trace_start;
};

/* Whether an address is in the interpreter. */
bool luajit_base_in(const struct luajit_vm *vm, uint64_t address);

/* Find the frame that a thread executes; false if it is not known. */
bool luajit_base_find(const struct luajit_vm *vm, struct interp_copy *copy,
		      const char global[LUAJIT_GLOBAL_BYTES],
		      const struct luajit_state *state,
		      struct luajit_place *place);

#endif
