/* luajit_base.c - which frame of LuaJIT a thread executes. */
#include "interp/luajit_base.h"

#include "base/peek.h"

bool
luajit_base_in(const struct luajit_vm *vm, uint64_t address)
{
	return address >= vm->range.start && address < vm->range.end;
}

/* Where the interpreter keeps the base. */

enum luajit_base_in { LUAJIT_IN_NEITHER, LUAJIT_IN_RBP, LUAJIT_IN_STATE };

/*
 * The interpreter has the base in rdx, which C functions may change.  So it
 * saves it before it calls one: in lua_State, or in rbp if the function cannot
 * fail.  The code after the call says which: mov rdx, rbp or mov rdx, [r + 32].
 */
static enum luajit_base_in
find_saved(struct interp_copy *copy, uint64_t pc)
{
	enum { CODE = 64, AFTER = 3 };
	unsigned char code[CODE];
	size_t i;

	if (!interp_copy_get(copy, pc, code, sizeof(code), sizeof(code)))
		return LUAJIT_IN_NEITHER;
	for (i = 0; i + AFTER < CODE; i++) {
		if (code[i] != 0x48)
			continue;
		if (code[i + 1] == 0x89 && code[i + 2] == 0xea)
			return LUAJIT_IN_RBP;
		if (code[i + 1] == 0x8b && (code[i + 2] & 0xf8) == 0x50 &&
		    code[i + 3] == LUAJIT_BASE)
			return LUAJIT_IN_STATE;
	}
	return LUAJIT_IN_NEITHER;
}

/* DWARF numbers of the registers of the interpreter on x86-64. */
enum { RDX = 1, RCX = 2, RBX = 3, RBP = 6 };

/* Whether a base may be that of what the interpreter executes at a pc. */
static bool
fits(struct interp_copy *copy, const struct luajit_state *state,
     uint64_t global, uint64_t base, uint64_t pc)
{
	const uint64_t heads = 32768; /* of builtins, after the global_State */
	struct luajit_frame f;

	if (!luajit_frame_read(copy, state, base, &f))
		return false;
	return f.is_lua ? luajit_frame_has_code(copy, &f, pc) :
			  f.link == pc || pc - global < heads;
}

/* Whether rdx is the caller's base or the frame's own when rbx is a link. */
static bool
is_caller(uint64_t link, bool may_continue)
{
	switch (link & LUAJIT_FRAME_MASK) {
	case 0: /* the distance between both, without the type */
	case LUAJIT_FRAME_VARIABLE:
		return true;
	case LUAJIT_FRAME_CONTINUATION:
		return may_continue;
	default:
		return false;
	}
}

/*
 * In the interpreter, where it enters or leaves C, or calls a metamethod: rbx
 * is the link of a frame, or its part, and rdx its base or its caller's.
 */
static bool
find_between(struct interp_copy *copy, const struct luajit_state *state,
	     struct luajit_place *place)
{
	const uint64_t *r = copy->moment.registers->value;
	const uint64_t link = r[RBX], base = r[RDX];
	const uint64_t caller = base - (link & ~(uint64_t)LUAJIT_FRAME_MASK);
	struct luajit_frame f;

	place->pc = 0;
	place->base = base;
	/* It resumes a coroutine that has no frame yet. */
	if (base == state->stack + LUAJIT_STACK_FIRST)
		return true;
	if (luajit_frame_read(copy, state, base, &f)) {
		if (f.link == link || base == state->base ||
		    is_caller(link, base != r[RCX]))
			return true;
	}
	place->base = caller;
	if (caller < base && luajit_frame_read(copy, state, caller, &f))
		return true;
	/* It enters, and has not loaded the base yet. */
	place->base = state->base;
	return luajit_frame_read(copy, state, state->base, &f) && !f.is_lua;
}

/*
 * In the interpreter, where it returns to C.  Results are moved over the frame
 * that ends, so that only its caller's base is good: rbx is that, or its
 * negative.
 */
static bool
find_returning(struct interp_copy *copy, const struct luajit_state *state,
	       struct luajit_place *place)
{
	const uint64_t rbx = copy->moment.registers->value[RBX];
	struct luajit_frame f;

	place->pc = 0;
	place->base = luajit_frame_in(state, rbx) ? rbx : -rbx;
	return place->base == state->stack + LUAJIT_STACK_FIRST ||
	       luajit_frame_read(copy, state, place->base, &f);
}

/* In the interpreter, between two instructions or in one. */
static bool
find_running(struct interp_copy *copy, uint64_t global, int32_t vm_state,
	     const struct luajit_state *state, struct luajit_place *place)
{
	const uint64_t *r = copy->moment.registers->value;
	const uint64_t pc = r[RBX];
	enum luajit_base_in saved;
	struct luajit_frame f;

	place->pc = pc;
	place->base = r[RDX];
	if (fits(copy, state, global, place->base, pc))
		return true;
	if (vm_state == LUAJIT_STATE_C &&
	    (luajit_frame_in(state, pc) || luajit_frame_in(state, -pc)))
		return find_returning(copy, state, place);
	if (pc % LUAJIT_INSTRUCTION != 0 ||
	    pc < state->stack_end - state->stack)
		return find_between(copy, state, place);
	/* It has just called, or returns: rbx is where to. */
	if (luajit_frame_in(state, place->base) && place->base % 8 == 0 &&
	    luajit_frame_caller(copy, place->base, pc, &place->base) &&
	    fits(copy, state, global, place->base, pc))
		return true;
	saved = find_saved(copy, copy->moment.pc);
	place->base = saved == LUAJIT_IN_RBP ? r[RBP] : state->base;
	if (saved != LUAJIT_IN_NEITHER &&
	    fits(copy, state, global, place->base, pc))
		return true;
	/* It has saved the base, and uses rbx otherwise. */
	place->base = r[RDX];
	place->pc = 0;
	return place->base == state->base &&
	       luajit_frame_read(copy, state, state->base, &f);
}

/*
 * In a C function that the interpreter has called with the base in rbp: there,
 * or where the function has saved it.
 */
static bool
find_in_stack(struct interp_copy *copy, const struct luajit_state *state,
	      uint64_t *base)
{
	const uint64_t sp = copy->moment.sp;
	struct luajit_frame f;
	uint64_t at, word;
	int n = 0;

	if (copy->moment.registers != NULL) {
		*base = copy->moment.registers->value[RBP];
		if (luajit_frame_read(copy, state, *base, &f))
			return true;
	}
	for (at = sp; at < state->c_frame - 8; at += 8) {
		if (!luajit_frame_get(copy, at, &word, sizeof(word)))
			return false;
		if (word > state->stack && word < state->stack_end &&
		    (n == 0 || word != *base)) {
			*base = word;
			n++;
		}
	}
	return n == 1 && luajit_frame_read(copy, state, *base, &f);
}

/*
 * Where lj_trace_exit() returns to, if a trace exits, with its registers on the
 * C stack below a frame of the VM; 0 otherwise.  The call is followed by mov
 * rcx, [rbp + 80].
 */
static uint64_t
find_exit(const struct luajit_vm *vm, struct interp_copy *copy,
	  uint64_t c_frame)
{
	const unsigned char after[] = { 0x48, 0x8b, 0x4d, LUAJIT_C_FRAME };
	const uint64_t most = 8192;
	unsigned char code[sizeof(after)];
	uint64_t at = c_frame - 8, word;

	for (; at >= copy->moment.sp && c_frame - at < most; at -= 8) {
		if (!luajit_frame_get(copy, at, &word, sizeof(word)))
			return 0;
		if (!luajit_base_in(vm, word))
			continue;
		/* The interpreter has called a function in C, no trace. */
		if (at == c_frame - 8)
			return 0;
		if (interp_copy_get(copy, word, code, sizeof(code),
				    sizeof(code)) &&
		    memcmp(code, after, sizeof(code)) == 0)
			return word;
	}
	return 0;
}

/* Whether a trace exits; that calls C by more frames of the VM. */
static bool
is_exit(const struct luajit_vm *vm, struct interp_copy *copy,
	const struct luajit_state *state, struct luajit_place *place)
{
	uint64_t c_frame = state->c_frame;
	char c[LUAJIT_C_BYTES];
	int n;

	for (n = 0; n < 4; n++) {
		if (!luajit_frame_get(copy, c_frame, c, sizeof(c)))
			return false;
		if (peek_i32(c, LUAJIT_C_RESULTS) >= 0)
			break;
		c_frame = peek_u64(c, LUAJIT_C_PREVIOUS) &
			  ~(uint64_t)LUAJIT_C_FLAGS;
	}
	place->jit_frame = c_frame;
	place->jit_return = find_exit(vm, copy, c_frame);
	return place->jit_return != 0;
}

/*
 * The pc of the function at a lua_State's base; 0 if unknown.  Instructions
 * that may fail save it in the frame of the VM.
 */
static uint64_t
find_pc(struct interp_copy *copy, const struct luajit_state *state)
{
	struct luajit_frame f;
	uint64_t pc;

	if (!luajit_frame_read(copy, state, state->base, &f) ||
	    !luajit_frame_get(copy, state->c_frame + LUAJIT_C_PC, &pc, 8) ||
	    !luajit_frame_has_code(copy, &f, pc))
		return 0;
	return pc;
}

/* In a C function that the interpreter has called. */
static bool
find_called(const struct luajit_vm *vm, struct interp_copy *copy,
	    const struct luajit_state *state, struct luajit_place *place)
{
	uint64_t returns_to;

	place->base = state->base;
	place->pc = 0;
	if (is_exit(vm, copy, state, place))
		return true;
	place->jit_frame = 0;
	if (!luajit_frame_get(copy, state->c_frame - 8, &returns_to, 8) ||
	    !luajit_base_in(vm, returns_to))
		return false;
	if (find_saved(copy, returns_to) == LUAJIT_IN_RBP)
		return find_in_stack(copy, state, &place->base);
	place->pc = find_pc(copy, state);
	return true;
}

/* In the interpreter, after a trace has exited with its registers saved. */
static bool
find_after_exit(struct interp_copy *copy, const struct luajit_state *state,
		struct luajit_place *place)
{
	struct luajit_frame f;

	place->base = state->base;
	place->jit_frame = state->c_frame;
	place->pc = find_pc(copy, state);
	return luajit_frame_read(copy, state, state->base, &f);
}

/* In the interpreter, where it calls C by a frame that has none of Lua. */
static bool
find_calling(const struct luajit_vm *vm, struct interp_copy *copy,
	     const struct luajit_state *state, struct luajit_place *place)
{
	char c[LUAJIT_C_BYTES];

	place->base = state->base;
	place->pc = 0;
	if (!luajit_frame_get(copy, state->c_frame, c, sizeof(c)) ||
	    peek_i32(c, LUAJIT_C_RESULTS) >= 0)
		return false;
	if (!is_exit(vm, copy, state, place))
		place->jit_frame = 0;
	return true;
}

/* Find where a trace begins, if it is there. */
static void
find_trace(const struct luajit_vm *vm, struct interp_copy *copy,
	   struct luajit_place *place)
{
	char bytes[LUAJIT_TRACE_BYTES];
	uint64_t traces, trace;
	unsigned i;

	for (i = 0; i < 2; i++) {
		if (luajit_frame_get(copy,
				     vm->global + vm->layout->traces - 8 * i,
				     &traces, 8) &&
		    luajit_frame_get(copy, traces + (uint64_t)place->trace * 8,
				     &trace, 8) &&
		    luajit_frame_get(copy, trace, bytes, sizeof(bytes)) &&
		    bytes[LUAJIT_TYPE] == LUAJIT_TYPE_TRACE &&
		    (peek_u32(bytes, LUAJIT_TRACE_NUMBER) & 0xffff) ==
			place->trace) {
			place->trace_proto = peek_u64(bytes,
						      LUAJIT_TRACE_PROTO);
			place->trace_start = peek_u64(bytes,
						      LUAJIT_TRACE_START);
			return;
		}
	}
	place->trace = 0;
}

bool
luajit_base_find(const struct luajit_vm *vm, struct interp_copy *copy,
		 const char global[LUAJIT_GLOBAL_BYTES],
		 const struct luajit_state *state, struct luajit_place *place)
{
	const struct interp_moment *m = &copy->moment;
	const int32_t vm_state = peek_i32(global, vm->layout->state);
	const uint64_t most = 64; /* of stack that parts of it use */
	uint64_t c_state;

	*place = (struct luajit_place){ .pc = 0 };
	if (!luajit_frame_get(copy, state->c_frame + LUAJIT_C_STATE, &c_state,
			      8) ||
	    c_state != state->address)
		return false;
	place->base = peek_u64(global, vm->layout->jit_base);
	if (place->base != 0) {
		place->jit_frame = state->c_frame;
		place->trace = vm_state > 0 ? (uint32_t)vm_state : 0;
		if (place->trace != 0)
			find_trace(vm, copy, place);
		return true;
	}
	if (m->registers == NULL || !luajit_base_in(vm, m->pc))
		return find_called(vm, copy, state, place);
	if (state->c_frame - m->sp > most)
		return find_called(vm, copy, state, place) ||
		       find_after_exit(copy, state, place);
	return find_running(copy, vm->global, vm_state, state, place) ||
	       find_calling(vm, copy, state, place);
}
