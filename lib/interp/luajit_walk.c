/* luajit_walk.c - the frames of a thread of LuaJIT. */
#include "interp/luajit_walk.h"

#include "interp/luajit_base.h"
#include "interp/luajit_moved.h"

#include "base/peek.h"

/* Calls of the system that one sample may need. */
enum { MAX_READS = 2048 };

/* How many coroutines may run on top of each other. */
enum { COROUTINES = 256 };

/* The largest stack of values that is copied at once, in bytes. */
enum { VALUES = 65536 };

/* Finding. */

/* The main lua_State is before the global_State; OpenResty's is larger. */
static bool
is_main(uint64_t global, uint64_t main)
{
	return global - main >= LUAJIT_STATE_BYTES &&
	       global - main <= LUAJIT_STATE_MOST;
}

uint64_t
luajit_walk_find(struct interp_copy *copy, const char head[INTERP_WORDS_HEAD],
		 size_t *layout)
{
	const uint64_t global = peek_u64(head, LUAJIT_GLOBAL);
	const struct luajit_layout *l;
	struct luajit_state state;
	char bytes[LUAJIT_GLOBAL_BYTES];

	if (head[LUAJIT_TYPE] != LUAJIT_TYPE_THREAD || global % 8 != 0 ||
	    !interp_copy_get(copy, global, bytes, sizeof(bytes), sizeof(bytes)))
		return 0;
	for (*layout = 0; *layout < LUAJIT_LAYOUTS; ++*layout) {
		l = luajit_layout_of(*layout);
		if (is_main(global, peek_u64(bytes, l->main)) &&
		    luajit_frame_state(copy, global, peek_u64(bytes, l->main),
				       &state) &&
		    luajit_frame_state(copy, global,
				       peek_u64(bytes, l->current), &state))
			return global;
	}
	return 0;
}

/* Walking. */

struct luajit_walk {
	const struct luajit_vm *vm;
	struct interp_copy *copy;
	struct interp_stack *s;
	/* The frame of the VM on the C stack that executes what follows. */
	uint64_t c_frame;
	char c[LUAJIT_C_BYTES]; /* its content */
	uint64_t outermost;     /* the last one of the lua_State */
};

/* Go to a frame of the VM; 0 is none. */
static bool
set_c_frame(struct luajit_walk *w, uint64_t address)
{
	address &= ~(uint64_t)LUAJIT_C_FLAGS;
	if (address == 0 && w->c_frame != 0)
		w->outermost = w->c_frame;
	/* Callers are at higher addresses. */
	if (address != 0 && address <= w->c_frame)
		return false;
	w->c_frame = address;
	return address == 0 ||
	       luajit_frame_get(w->copy, address, w->c, sizeof(w->c));
}

static bool
previous_c_frame(struct luajit_walk *w)
{
	return w->c_frame != 0 &&
	       set_c_frame(w, peek_u64(w->c, LUAJIT_C_PREVIOUS));
}

/* Leave the frames of the VM that have called only C, above a frame of Lua. */
static bool
leave_c(struct luajit_walk *w, const struct luajit_state *state, uint64_t base)
{
	int64_t top;

	while (w->c_frame != 0) {
		top = -(int64_t)peek_i32(w->c, LUAJIT_C_RESULTS);
		if (top <= 0 || base - 8 >= state->stack + (uint64_t)top)
			return true;
		if (!previous_c_frame(w))
			return false;
	}
	return true;
}

static bool
add_function(struct luajit_walk *w, const struct luajit_frame *f, uint64_t pc)
{
	struct luajit_proto proto;

	if (!f->is_lua)
		return true;
	return luajit_functions_find(w->vm->functions, w->copy, f->proto, 0,
				     &proto) &&
	       interp_stack_add(w->s, proto.number, (int64_t)pc);
}

/*
 * Add the frames of a lua_State from one on, whose function is at a pc.  False
 * if they are not linked up to the first.
 */
static bool
add_frames(struct luajit_walk *w, const struct luajit_state *state,
	   uint64_t base, uint64_t pc)
{
	struct luajit_frame f;
	bool hidden = false;

	while (base != state->stack + LUAJIT_STACK_FIRST) {
		if (!leave_c(w, state, base) ||
		    !luajit_frame_read(w->copy, state, base, &f) ||
		    (!hidden && !add_function(w, &f, pc)))
			return false;
		/* The function once more, with all of its arguments. */
		hidden = f.type == LUAJIT_FRAME_VARIABLE;
		if (!hidden)
			pc = f.pc;
		if (f.from_c) {
			if (w->c_frame == 0)
				return false;
			interp_stack_end_segment(w->s, w->c_frame);
			if (!previous_c_frame(w))
				return false;
			pc = w->c_frame == 0 ? 0 : peek_u64(w->c, LUAJIT_C_PC);
		}
		base = f.previous;
	}
	return leave_c(w, state, base) && w->c_frame == 0;
}

/*
 * Add the frames of a lua_State.  When it enters the VM, that has a frame on
 * the C stack before it has one of Lua.
 */
static bool
add_state(struct luajit_walk *w, const struct luajit_state *state,
	  uint64_t base, uint64_t pc)
{
	const size_t n = w->s->n, segments = w->s->segments;
	const uint64_t first = state->stack + LUAJIT_STACK_FIRST;

	w->c_frame = 0;
	if (!set_c_frame(w, state->c_frame))
		return false;
	if (add_frames(w, state, base, pc))
		return true;
	w->s->n = n;
	w->s->segments = segments;
	w->c_frame = 0;
	return set_c_frame(w, state->c_frame) && previous_c_frame(w) &&
	       (w->c_frame != 0 || base == first) &&
	       add_frames(w, state, base, pc);
}

/*
 * The lua_State that resumed one whose outermost frame of the VM is known:
 * coroutine.resume() does it within the VM, lua_resume() in C; of the latter
 * only the main one is found.  False if there is none.
 */
static bool
find_resumer(struct luajit_walk *w, uint64_t main, struct luajit_state *state)
{
	const uint64_t inner = state->address, frame = w->outermost;
	const uint64_t caller = frame + LUAJIT_C_BYTES;
	uint64_t word;

	if (luajit_frame_get(w->copy, frame + LUAJIT_C_RETURN, &word, 8) &&
	    luajit_base_in(w->vm, word))
		return luajit_frame_get(w->copy, caller + LUAJIT_C_STATE, &word,
					8) &&
		       luajit_frame_state(w->copy, w->vm->global, word,
					  state) &&
		       state->c_frame == caller;
	return inner != main &&
	       luajit_frame_state(w->copy, w->vm->global, main, state) &&
	       state->c_frame > frame;
}

/* Copy a stack of values at once, as far as it has frames. */
static void
copy_values(struct interp_copy *copy, const struct luajit_state *state,
	    uint64_t base)
{
	const uint64_t n = base - state->stack;
	char word[8];

	if (n < VALUES && !interp_copy_has(copy, state->stack, (size_t)n))
		interp_copy_get(copy, state->stack, word, sizeof(word),
				(size_t)n);
}

/* Add where the trace that runs begins. */
static void
add_trace(struct luajit_walk *w, const struct luajit_place *place)
{
	struct luajit_proto proto;

	/* The pc is after the instruction, as where calls return to. */
	if (place->trace != 0 &&
	    luajit_functions_find(w->vm->functions, w->copy, place->trace_proto,
				  place->trace, &proto))
		interp_stack_add(w->s, proto.number,
				 (int64_t)place->trace_start +
				     LUAJIT_INSTRUCTION);
}

/* Add the frames of a lua_State, from a place on, and of its resumers. */
static bool
add_states(struct luajit_walk *w, struct luajit_state state, uint64_t main,
	   const struct luajit_place *place)
{
	uint64_t base = place->base, pc = place->pc;
	int n;

	for (n = 0; n < COROUTINES; n++) {
		copy_values(w->copy, &state, base);
		if (!add_state(w, &state, base, pc))
			return false;
		if (!find_resumer(w, main, &state))
			return true;
		base = state.base;
		pc = 0;
	}
	return false;
}

/* The same, wherever its stack of values is. */
static bool
add_all(struct luajit_walk *w, struct luajit_state *state, uint64_t main,
	struct luajit_place *place)
{
	const size_t n = w->s->n, segments = w->s->segments;

	if (add_states(w, *state, main, place))
		return true;
	if (!luajit_moved_stack(w->copy, state, &place->base))
		return false;
	w->s->n = n;
	w->s->segments = segments;
	return add_states(w, *state, main, place);
}

bool
luajit_walk(const struct luajit_vm *vm, struct interp_copy *copy,
	    struct interp_stack *s)
{
	const struct luajit_layout *l = vm->layout;
	struct luajit_walk w = { .vm = vm, .copy = copy, .s = s };
	char global[LUAJIT_GLOBAL_BYTES];
	struct luajit_state state;
	struct luajit_place place;
	uint64_t main;

	if (!interp_copy_get(copy, vm->global, global, sizeof(global),
			     sizeof(global)))
		return false;
	main = peek_u64(global, l->main);
	if (!is_main(vm->global, main) ||
	    !luajit_frame_state(copy, vm->global, peek_u64(global, l->current),
				&state))
		return false;
	/* It runs nothing, or another thread executes it. */
	if (state.c_frame - copy->moment.sp >= copy->stack.len)
		return true;
	copy->max_reads = MAX_READS;
	s->complete = false;
	luajit_moved_base(copy, &state);
	if (!luajit_base_find(vm, copy, global, &state, &place))
		return true;
	if (place.jit_frame != 0) {
		s->jit.sp = place.jit_frame;
		s->jit.pc = vm->range.start;
		s->jit.returns_to = place.jit_return;
	}
	add_trace(&w, &place);
	s->complete = add_all(&w, &state, main, &place);
	return true;
}
