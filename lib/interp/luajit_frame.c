/* luajit_frame.c - states and frames of LuaJIT in memory. */
#include "interp/luajit_frame.h"

#include "base/peek.h"

bool
luajit_frame_get(struct interp_copy *copy, uint64_t address, void *to, size_t n)
{
	return address != 0 && address % 8 == 0 &&
	       interp_copy_get(copy, address, to, n, n);
}

bool
luajit_frame_state(struct interp_copy *copy, uint64_t global, uint64_t address,
		   struct luajit_state *state)
{
	char bytes[LUAJIT_STATE_BYTES];

	if (!luajit_frame_get(copy, address, bytes, sizeof(bytes)) ||
	    bytes[LUAJIT_TYPE] != LUAJIT_TYPE_THREAD ||
	    peek_u64(bytes, LUAJIT_GLOBAL) != global)
		return false;
	state->address = address;
	state->base = peek_u64(bytes, LUAJIT_BASE);
	state->stack = peek_u64(bytes, LUAJIT_STACK);
	state->stack_end = peek_u64(bytes, LUAJIT_STACK_LAST) +
			   LUAJIT_STACK_EXTRA;
	state->c_frame = peek_u64(bytes, LUAJIT_C_FRAME) &
			 ~(uint64_t)LUAJIT_C_FLAGS;
	return state->stack % 8 == 0 && state->stack < state->stack_end;
}

/* Frames. */

bool
luajit_frame_in(const struct luajit_state *state, uint64_t address)
{
	return address >= state->stack + LUAJIT_STACK_FIRST &&
	       address < state->stack_end;
}

/* Read the function of a frame. */
static bool
read_function(struct interp_copy *copy, const struct luajit_state *state,
	      uint64_t value, struct luajit_frame *f)
{
	const unsigned tag_bits = 47;
	const uint64_t pointer = (UINT64_C(1) << tag_bits) - 1;
	char bytes[LUAJIT_FUNCTION_BYTES];
	const int64_t tag = (int64_t)value >> tag_bits;

	f->function = value & pointer;
	f->is_lua = false;
	/* A metamethod that is absent has the state in place of a function. */
	if (f->function == state->address)
		return true;
	if (tag != ~(int64_t)LUAJIT_TYPE_FUNCTION ||
	    !luajit_frame_get(copy, f->function, bytes, sizeof(bytes)) ||
	    bytes[LUAJIT_TYPE] != LUAJIT_TYPE_FUNCTION)
		return false;
	f->is_lua = bytes[LUAJIT_FUNCTION_KIND] == 0;
	if (f->is_lua)
		f->proto = peek_u64(bytes, LUAJIT_FUNCTION_PC) -
			   LUAJIT_PROTO_BYTES;
	return true;
}

bool
luajit_frame_caller(struct interp_copy *copy, uint64_t base, uint64_t pc,
		    uint64_t *caller)
{
	const uint64_t instruction = pc - LUAJIT_INSTRUCTION;
	char bytes[8];

	if (!luajit_frame_get(copy, instruction / 8 * 8, bytes, sizeof(bytes)))
		return false;
	*caller = base - 16 -
		  8 * (uint64_t)(unsigned char)
			  bytes[instruction % 8 + LUAJIT_OPERAND_A];
	return true;
}

/* Find the caller of a frame by its link. */
static bool
follow(struct interp_copy *copy, uint64_t base, struct luajit_frame *f)
{
	char continuation[16];

	f->type = f->link & LUAJIT_FRAME_MASK;
	f->from_c = f->type == LUAJIT_FRAME_C ||
		    f->type == LUAJIT_FRAME_C_PROTECTED;
	f->pc = 0;
	if ((f->type & LUAJIT_FRAME_LUA_MASK) == 0) {
		f->pc = f->link;
		return luajit_frame_caller(copy, base, f->pc, &f->previous);
	}
	f->previous = base - (f->link & ~(uint64_t)LUAJIT_FRAME_MASK);
	if (f->type != LUAJIT_FRAME_CONTINUATION)
		return true;
	if (!luajit_frame_get(copy, base - 32, continuation,
			      sizeof(continuation)))
		return false;
	f->from_c = peek_u64(continuation, 0) == LUAJIT_CONTINUATION_CALLBACK;
	f->pc = peek_u64(continuation, 8);
	return true;
}

bool
luajit_frame_read(struct interp_copy *copy, const struct luajit_state *state,
		  uint64_t base, struct luajit_frame *f)
{
	char bytes[16];

	if (base <= state->stack + LUAJIT_STACK_FIRST ||
	    base >= state->stack_end ||
	    !luajit_frame_get(copy, base - 16, bytes, sizeof(bytes)) ||
	    !read_function(copy, state, peek_u64(bytes, 0), f))
		return false;
	f->link = peek_u64(bytes, 8);
	return follow(copy, base, f) && f->previous < base &&
	       f->previous >= state->stack + LUAJIT_STACK_FIRST;
}

bool
luajit_frame_has_code(struct interp_copy *copy, const struct luajit_frame *f,
		      uint64_t pc)
{
	char bytes[LUAJIT_PROTO_BYTES];
	uint64_t code = f->proto + LUAJIT_PROTO_BYTES;

	return f->is_lua &&
	       luajit_frame_get(copy, f->proto, bytes, sizeof(bytes)) &&
	       bytes[LUAJIT_TYPE] == LUAJIT_TYPE_PROTO &&
	       pc % LUAJIT_INSTRUCTION == 0 && pc >= code &&
	       (pc - code) / LUAJIT_INSTRUCTION <=
		   peek_u32(bytes, LUAJIT_PROTO_SIZE);
}
