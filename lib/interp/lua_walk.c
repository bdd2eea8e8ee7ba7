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

/* Whether a state was suspended by a yield, or ended with an error. */
static bool
has_status(const struct lua_layout *l, const char *state)
{
	/* 5.3 has it after the number of calls. */
	return state[l->minor == 3 ? LUA_STATUS : LUA_STATUS - 2] != 0;
}

enum lua_activity
lua_walk_state(const struct lua_layout *l, struct interp_copy *copy,
	       uint64_t state)
{
	char bytes[LUA_STATE_BYTES], call[LUA_CALL_BYTES];
	char previous[LUA_CALL_BYTES];
	uint64_t last, before;

	if (!get(copy, state, bytes, sizeof(bytes)) ||
	    bytes[LUA_TYPE] != LUA_TYPE_THREAD)
		return LUA_NO_STATE;
	last = peek_u64(bytes, l->call);
	if (!get(copy, peek_u64(bytes, l->global), previous, 8) ||
	    !get(copy, last, call, sizeof(call)))
		return LUA_NO_STATE;
	before = peek_u64(call, LUA_CALL_PREVIOUS);
	/* The first call is in the state itself. */
	if (before == 0)
		return last > state && last - state < 512 ? LUA_IDLE :
							    LUA_NO_STATE;
	if (!get(copy, before, previous, sizeof(previous)) ||
	    peek_u64(previous, LUA_CALL_NEXT) != last)
		return LUA_NO_STATE;
	return has_status(l, bytes) ? LUA_IDLE : LUA_ACTIVE;
}

/*
 * The coroutine that a function in C, whose place in the stack of values is
 * given, has resumed: its first argument, coroutine.resume(), or its upvalue,
 * coroutine.wrap().  0 if it has neither.
 */
static uint64_t
find_coroutine(struct interp_copy *copy, uint64_t place)
{
	char value[2 * LUA_VALUE_BYTES];
	uint64_t closure;

	if (!get(copy, place, value, sizeof(value)))
		return 0;
	if (value[LUA_VALUE_TYPE] == LUA_VALUE_C_CLOSURE) {
		closure = peek_u64(value, 0);
		return get(copy, closure + LUA_C_CLOSURE_VALUE, value,
			   LUA_VALUE_BYTES) &&
			       value[LUA_VALUE_TYPE] == LUA_VALUE_THREAD ?
			   peek_u64(value, 0) :
			   0;
	}
	if (value[LUA_VALUE_TYPE] == LUA_VALUE_FUNCTION ||
	    value[LUA_VALUE_BYTES + LUA_VALUE_TYPE] != LUA_VALUE_THREAD)
		return 0;
	return peek_u64(value, LUA_VALUE_BYTES);
}

/* The coroutine that runs on top of a state; 0 if none does. */
static uint64_t
next_state(const struct lua_layout *l, struct interp_copy *copy, uint64_t state)
{
	char bytes[LUA_STATE_BYTES], call[LUA_CALL_BYTES];
	uint64_t next;

	if (!get(copy, state, bytes, sizeof(bytes)) ||
	    !get(copy, peek_u64(bytes, l->call), call, sizeof(call)))
		return 0;
	next = find_coroutine(copy, peek_u64(call, LUA_CALL_FUNCTION));
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

/* Where the function of a call is in the stack of values. */
static uint64_t
find_value(const struct lua_values *v, const char *call)
{
	const uint64_t place = peek_u64(call, LUA_CALL_FUNCTION);

	return place >= v->start && place < v->end ?
		   place :
		   place - v->before + v->start;
}

/* Add the frame of a call; a function in C has only native frames. */
static bool
add_frame(const struct lua_layout *l, struct lua_functions *functions,
	  struct interp_copy *copy, const char *call,
	  const struct lua_values *values, struct interp_stack *s)
{
	char value[LUA_VALUE_BYTES], closure[LUA_CLOSURE_PROTO + 8];
	uint64_t number;

	if (!get(copy, find_value(values, call), value, sizeof(value)))
		return false;
	/* realloc() has just freed the stack of values if it is neither. */
	if (value[LUA_VALUE_TYPE] != LUA_VALUE_FUNCTION)
		return value[LUA_VALUE_TYPE] == LUA_VALUE_C_CLOSURE ||
		       value[LUA_VALUE_TYPE] == LUA_VALUE_C_FUNCTION;
	if (!get(copy, peek_u64(value, 0), closure, sizeof(closure)) ||
	    !lua_functions_find(functions, copy,
				peek_u64(closure, LUA_CLOSURE_PROTO),
				&number) ||
	    !interp_stack_add(s, number, (int64_t)peek_u64(call, l->call_pc)))
		return false;
	if ((call[l->call_status] & l->fresh) == l->fresh_is)
		interp_stack_end_segment(s, 0);
	return true;
}

/* Read the first call of a state, from the last one on. */
static bool
read_first(struct interp_copy *copy, uint64_t address,
	   char call[LUA_CALL_BYTES])
{
	int n;

	for (n = 0; n < INTERP_STACK_DEPTH; n++) {
		if (!get(copy, address, call, LUA_CALL_BYTES))
			return false;
		address = peek_u64(call, LUA_CALL_PREVIOUS);
		if (address == 0)
			return true;
	}
	return false;
}

/* Add the calls of one state, but for its first, which is of the host. */
static bool
add_state(const struct lua_layout *l, struct lua_functions *functions,
	  struct interp_copy *copy, uint64_t state, struct interp_stack *s)
{
	char bytes[LUA_STATE_BYTES], call[LUA_CALL_BYTES];
	struct lua_values values;
	uint64_t address, last;

	if (!get(copy, state, bytes, sizeof(bytes)))
		return false;
	last = peek_u64(bytes, l->call);
	if (!read_first(copy, last, call))
		return false;
	values.start = peek_u64(bytes, l->stack);
	values.end = peek_u64(bytes, l->stack - 8) + LUA_STACK_EXTRA;
	values.before = peek_u64(call, LUA_CALL_FUNCTION);
	for (address = last; get(copy, address, call, sizeof(call));
	     address = peek_u64(call, LUA_CALL_PREVIOUS)) {
		if (peek_u64(call, LUA_CALL_PREVIOUS) == 0)
			return true;
		if (!add_frame(l, functions, copy, call, &values, s))
			return false;
	}
	return false;
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
	while (n > 0) {
		if (!add_state(l, functions, copy, states[--n], s))
			return;
	}
	s->complete = true;
}
