/* lua_walk.c - the frames of a thread of Lua. */
#include "interp/lua_walk.h"

#include "base/peek.h"

/* Calls of the system that one sample may need. */
enum { MAX_READS = 2048 };

/* How many coroutines may run on top of each other; Lua has 200 C calls. */
enum { COROUTINES = 256 };

static bool
get(struct interp_copy *copy, uint64_t address, char *bytes, size_t n)
{
	return address != 0 && address % 8 == 0 &&
	       interp_copy_get(copy, address, bytes, n, n);
}

/* A call of a state: of a function in the stack of values. */
struct lua_call {
	uint64_t function, pc, previous;
	char bytes[LUA_CALL_BYTES];
};

/* Read a call; the previous one of the first is 0. */
static bool
read_call(const struct lua_layout *l, struct interp_copy *copy,
	  const char *state, uint64_t address, struct lua_call *call)
{
	const bool last = address == peek_u64(state, l->call);

	if (!get(copy, address, call->bytes, l->call_bytes))
		return false;
	call->function = peek_u64(call->bytes, l->call_function);
	call->pc = l->calls != 0 && last ? peek_u64(state, l->pc) :
					   peek_u64(call->bytes, l->call_pc);
	if (l->calls == 0)
		call->previous = peek_u64(call->bytes, LUA_CALL_PREVIOUS);
	else
		call->previous = address == peek_u64(state, l->calls) ?
				     0 :
				     address - l->call_bytes;
	return true;
}

/* Whether an address is that of a call in the array that 5.1 has. */
static bool
is_in_array(const struct lua_layout *l, const char *state, uint64_t address)
{
	const uint64_t start = peek_u64(state, l->calls);

	return address >= start && address <= peek_u64(state, l->calls_end) &&
	       (address - start) % l->call_bytes == 0;
}

/* Whether the last call of a state is linked with the others. */
static bool
is_linked(const struct lua_layout *l, struct interp_copy *copy, uint64_t state,
	  const char *bytes, const struct lua_call *call)
{
	const uint64_t last = peek_u64(bytes, l->call);
	char previous[LUA_CALL_NEXT + 8];

	if (l->calls != 0)
		return is_in_array(l, bytes, last);
	/* The first call is in the state itself. */
	if (call->previous == 0)
		return last > state && last - state < 512;
	return get(copy, call->previous, previous, sizeof(previous)) &&
	       peek_u64(previous, LUA_CALL_NEXT) == last;
}

enum lua_activity
lua_walk_state(const struct lua_layout *l, struct interp_copy *copy,
	       uint64_t state)
{
	char bytes[LUA_STATE_BYTES], global[8];
	struct lua_call call;

	if (!get(copy, state, bytes, sizeof(bytes)) ||
	    bytes[LUA_TYPE] != LUA_TYPE_THREAD ||
	    !get(copy, peek_u64(bytes, l->global), global, sizeof(global)) ||
	    !read_call(l, copy, bytes, peek_u64(bytes, l->call), &call) ||
	    !is_linked(l, copy, state, bytes, &call))
		return LUA_NO_STATE;
	if (call.previous != 0 && bytes[l->status] == LUA_STATUS_YIELD)
		return LUA_YIELDING;
	return call.previous == 0 || bytes[l->status] != 0 ? LUA_IDLE :
							     LUA_ACTIVE;
}

/* Types of values.  In 5.1 all functions in C are closures. */
enum lua_kind {
	LUA_NO_FUNCTION,
	LUA_FUNCTION,
	LUA_C_FUNCTION,
	LUA_C_CLOSURE,
	LUA_C_ANY
};

static enum lua_kind
kind_of(const struct lua_layout *l, struct interp_copy *copy, const char *value)
{
	char head[LUA_CLOSURE_IS_C + 1];

	if (value[LUA_VALUE_TYPE] == LUA_VALUE_C_CLOSURE)
		return LUA_C_CLOSURE;
	if (value[LUA_VALUE_TYPE] == LUA_VALUE_C_FUNCTION)
		return LUA_C_FUNCTION;
	if (value[LUA_VALUE_TYPE] != (char)l->type_function)
		return LUA_NO_FUNCTION;
	if (l->calls == 0)
		return LUA_FUNCTION;
	if (!get(copy, peek_u64(value, 0), head, sizeof(head)))
		return LUA_NO_FUNCTION;
	return head[LUA_CLOSURE_IS_C] != 0 ? LUA_C_ANY : LUA_FUNCTION;
}

/*
 * The coroutine that a function in C, whose place in the stack of values is
 * given, has resumed: its first argument, coroutine.resume(), or its upvalue,
 * coroutine.wrap().  0 if it has neither.
 */
static uint64_t
find_coroutine(const struct lua_layout *l, struct interp_copy *copy,
	       uint64_t place)
{
	char value[2 * LUA_VALUE_BYTES], upvalue[LUA_VALUE_BYTES];
	const enum lua_kind kind = get(copy, place, value, sizeof(value)) ?
				       kind_of(l, copy, value) :
				       LUA_NO_FUNCTION;

	if (kind == LUA_NO_FUNCTION || kind == LUA_FUNCTION)
		return 0;
	if (kind != LUA_C_FUNCTION &&
	    get(copy, peek_u64(value, 0) + l->closure_value, upvalue,
		sizeof(upvalue)) &&
	    upvalue[LUA_VALUE_TYPE] == (char)l->type_thread)
		return peek_u64(upvalue, 0);
	return kind != LUA_C_CLOSURE &&
		       value[LUA_VALUE_BYTES + LUA_VALUE_TYPE] ==
			   (char)l->type_thread ?
		   peek_u64(value, LUA_VALUE_BYTES) :
		   0;
}

/* The coroutine that runs on top of a state; 0 if none does. */
static uint64_t
next_state(const struct lua_layout *l, struct interp_copy *copy, uint64_t state)
{
	char bytes[LUA_STATE_BYTES];
	struct lua_call call;
	uint64_t next;

	if (!get(copy, state, bytes, sizeof(bytes)) ||
	    !read_call(l, copy, bytes, peek_u64(bytes, l->call), &call))
		return 0;
	next = find_coroutine(l, copy, call.function);
	return next != 0 && lua_walk_state(l, copy, next) == LUA_ACTIVE ? next :
									  0;
}

/*
 * The stack of values of a state.  While it grows, calls point to where it was
 * before, those of the outermost last, and its values are at both places.
 */
struct lua_values {
	uint64_t start, end, before;
};

/* Read the value that a call's function is. */
static bool
read_function(const struct lua_values *v, struct interp_copy *copy,
	      const struct lua_call *call, char value[LUA_VALUE_BYTES])
{
	uint64_t place = call->function;

	if (place < v->start || place >= v->end)
		place = place - v->before + v->start;
	return get(copy, place, value, LUA_VALUE_BYTES);
}

/* Whether a loop begins with a call; previous is its caller. */
static bool
begins_loop(const struct lua_layout *l, struct interp_copy *copy,
	    const struct lua_values *values, const struct lua_call *call,
	    const struct lua_call *previous)
{
	char value[LUA_VALUE_BYTES], code[2 * LUA_INSTRUCTION];
	uint64_t address;
	unsigned opcode;

	if (l->calls == 0)
		return (call->bytes[l->call_status] & l->fresh) == l->fresh_is;
	/* A function of Lua calls one without a loop by two instructions. */
	if (!read_function(values, copy, previous, value) ||
	    kind_of(l, copy, value) != LUA_FUNCTION)
		return true;
	address = previous->pc - LUA_INSTRUCTION;
	if (!get(copy, address / 8 * 8, code, sizeof(code)))
		return true;
	opcode = peek_u32(code, address % 8) & LUA_OPCODE_MASK;
	return opcode != LUA_OPCODE_CALL && opcode != LUA_OPCODE_TAIL_CALL;
}

/* Add the frame of a call; a function in C has only native frames. */
static bool
add_frame(const struct lua_layout *l, struct lua_functions *functions,
	  struct interp_copy *copy, const struct lua_call *call,
	  const struct lua_call *previous, const struct lua_values *values,
	  struct interp_stack *s)
{
	char value[LUA_VALUE_BYTES], closure[LUA_CLOSURE_BYTES];
	enum lua_kind kind;
	uint64_t number;

	if (!read_function(values, copy, call, value))
		return false;
	/* realloc() has just freed the stack of values if it is neither. */
	kind = kind_of(l, copy, value);
	if (kind != LUA_FUNCTION)
		return kind != LUA_NO_FUNCTION;
	if (!get(copy, peek_u64(value, 0), closure, l->closure_proto + 8u) ||
	    !lua_functions_find(functions, copy,
				peek_u64(closure, l->closure_proto), &number) ||
	    !interp_stack_add(s, number, (int64_t)call->pc))
		return false;
	if (begins_loop(l, copy, values, call, previous))
		interp_stack_end_segment(s, 0);
	return true;
}

/* Read the first call of a state, from the last one on. */
static bool
read_first(const struct lua_layout *l, struct interp_copy *copy,
	   const char *state, struct lua_call *call)
{
	uint64_t address = peek_u64(state, l->call);
	int n;

	if (l->calls != 0)
		return read_call(l, copy, state, peek_u64(state, l->calls),
				 call);
	for (n = 0; n < INTERP_STACK_DEPTH; n++) {
		if (!read_call(l, copy, state, address, call))
			return false;
		address = call->previous;
		if (address == 0)
			return true;
	}
	return false;
}

/* Say which coroutine the segments are of, from one on, and end the last. */
static void
set_level(struct interp_stack *s, size_t segment, size_t level)
{
	const size_t n = s->segments;

	if (s->n > (n == 0 ? 0 : s->segment[n - 1].end))
		interp_stack_end_segment(s, 0);
	for (; segment < s->segments; segment++)
		s->segment[segment].level = level;
}

/* Add the calls of one state, but for its first, which is of the host. */
static bool
add_state(const struct lua_layout *l, struct lua_functions *functions,
	  struct interp_copy *copy, uint64_t state, size_t level,
	  struct interp_stack *s)
{
	const size_t segment = s->segments;
	char bytes[LUA_STATE_BYTES];
	struct lua_values values;
	struct lua_call call, previous;

	if (!get(copy, state, bytes, sizeof(bytes)) ||
	    !read_first(l, copy, bytes, &call))
		return false;
	values.start = peek_u64(bytes, l->stack);
	values.end = peek_u64(bytes, l->stack - 8u) + LUA_STACK_EXTRA;
	values.before = call.function;
	if (!read_call(l, copy, bytes, peek_u64(bytes, l->call), &call))
		return false;
	for (; call.previous != 0; call = previous) {
		if (!read_call(l, copy, bytes, call.previous, &previous) ||
		    !add_frame(l, functions, copy, &call, &previous, &values,
			       s))
			return false;
	}
	set_level(s, segment, level);
	return true;
}

void
lua_walk(const struct lua_layout *l, struct lua_functions *functions,
	 struct interp_copy *copy, uint64_t state, struct interp_stack *s)
{
	uint64_t states[COROUTINES];
	size_t n = 0, i;

	copy->max_reads = MAX_READS;
	s->may_be_early = true;
	s->complete = false;
	for (; state != 0; state = next_state(l, copy, state)) {
		for (i = 0; i < n && states[i] != state; i++)
			;
		if (n == COROUTINES)
			return;
		/* coroutine.status() has one that runs as its argument. */
		if (i < n)
			break;
		states[n++] = state;
	}
	s->levels = n;
	for (i = n; i > 0; i--) {
		if (!add_state(l, functions, copy, states[i - 1], i - 1, s))
			return;
	}
	s->complete = true;
}
