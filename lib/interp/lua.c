/* lua.c - Lua, the interpreter of PUC-Rio. */
#include "interp/lua.h"

#include "interp/interp_words.h"
#include "interp/lua_walk.h"

#include "base/mem.h"

#include <stdlib.h>

struct lua {
	struct interp_words stack;
	const struct lua_layout *layout;
	struct interp_ranges loops;
	struct interp_range resume; /* code of lua_resume() */
	struct lua_functions *functions;
};

static bool
may_be(struct str file)
{
	return str_search(file, STR("lua")) != NULL;
}

/* Opening. */

enum {
	CALL,
	CALLK,
	IS_INTEGER,
	USERDATA_VALUES,
	NUMBER_TEXT,
	RESUME,
	JIT,
	SYMBOLS
};

/* The minor version, by functions of the interface; 0 if it is not Lua. */
static unsigned
find_version(const struct interp_symbol *symbol)
{
	if (symbol[CALLK].address == 0)
		return symbol[CALL].address != 0;
	if (symbol[NUMBER_TEXT].address != 0)
		return 5;
	if (symbol[USERDATA_VALUES].address != 0)
		return 4;
	return symbol[IS_INTEGER].address != 0 ? 3 : 2;
}

/*
 * The code whose frames have the state that they execute: that of the library,
 * or of the loop if the program contains other code.
 */
static struct interp_range
find_code(const struct interp_target *target, size_t map,
	  const struct interp_ranges *loops)
{
	const struct str path = target->map[map].path;
	size_t i;

	for (i = map; may_be(interp_binary_name(path)) && i < target->n; i++) {
		if (proctext_is_code(&target->map[i]) &&
		    str_eq(target->map[i].path, path))
			return (struct interp_range){ target->map[i].start,
						      target->map[i].end };
	}
	return loops->range[0];
}

static void *
open_runtime(const struct interp_target *target, size_t map,
	     const struct interp_reader *reader, struct buf *why)
{
	struct interp_symbol symbol[SYMBOLS] = {
		[CALL] = { "lua_call", 0, 0 },
		[CALLK] = { "lua_callk", 0, 0 },
		[IS_INTEGER] = { "lua_isinteger", 0, 0 },
		[USERDATA_VALUES] = { "lua_newuserdatauv", 0, 0 },
		[NUMBER_TEXT] = { "lua_numbertocstring", 0, 0 },
		[RESUME] = { "lua_resume", 0, 0 },
		[JIT] = { "luaJIT_setmode", 0, 0 },
	};
	struct lua lua = { .stack = interp_words_of(target) }, *found;
	unsigned minor;

	(void)reader;
	if (!interp_binary_find(target, map, symbol, SYMBOLS, "luaV_execute",
				&lua.loops))
		return NULL;
	minor = find_version(symbol);
	if (minor == 0 || symbol[JIT].address != 0)
		return NULL;
	lua.layout = lua_layout_of(minor);
	if (lua.layout == NULL) {
		buf_printf(why, "Lua 5.%u: its version is not supported",
			   minor);
		return NULL;
	}
	/*
	 * In all versions the loop is the largest function of the library, and
	 * of those that the interface calls to call a function.
	 */
	if (lua.loops.n == 0 &&
	    !(may_be(interp_binary_name(target->map[map].path)) ?
		  interp_binary_largest(target, map, 0, &lua.loops) :
		  interp_binary_called(
		      target, map, symbol[minor == 1 ? CALL : CALLK].address,
		      &lua.loops))) {
		buf_printf(why,
			   "Lua 5.%u: its interpreter loop cannot be found",
			   minor);
		return NULL;
	}
	lua.stack.code = find_code(target, map, &lua.loops);
	lua.resume.start = symbol[RESUME].address;
	lua.resume.end = lua.resume.start + symbol[RESUME].size;
	found = mem_zero(1, sizeof(*found));
	*found = lua;
	found->functions = lua_functions_new(found->layout);
	return found;
}

static void
close_runtime(void *runtime)
{
	struct lua *lua = runtime;

	lua_functions_free(lua->functions);
	free(lua);
}

static const struct interp_ranges *
loops(const void *runtime)
{
	const struct lua *lua = runtime;

	return &lua->loops;
}

/*
 * Threads.  There is no variable with the state that a thread executes, so it
 * is searched for in the C stack: the outermost one that is active.
 */

struct lua_search {
	const struct lua_layout *layout;
	struct interp_copy *memory;
	uint64_t active, yielding, idle;
};

static bool
visit(void *arg, uint64_t address, const char head[INTERP_WORDS_HEAD])
{
	struct lua_search *s = arg;
	enum lua_activity activity;

	if (head[LUA_TYPE] != LUA_TYPE_THREAD)
		return false;
	activity = lua_walk_state(s->layout, s->memory, address);
	if (activity == LUA_ACTIVE)
		s->active = address;
	if (activity == LUA_YIELDING && s->yielding == 0)
		s->yielding = address;
	if (activity == LUA_IDLE)
		s->idle = address;
	return activity == LUA_ACTIVE;
}

/* Where a thread is: elsewhere a host may execute another state. */
static uint64_t
place_of(const struct interp_moment *moment)
{
	return moment->sp * 31 + moment->pc;
}

static void
root(void *runtime, struct interp_copy *memory, struct interp_listed *thread)
{
	const struct lua *lua = runtime;
	struct lua_search s = { .layout = lua->layout, .memory = memory };

	interp_words_search(&lua->stack, memory, thread->tid, false, visit, &s);
	thread->block = s.active != 0   ? s.active :
			s.yielding != 0 ? s.yielding :
					  s.idle;
	thread->id = place_of(&memory->moment);
}

static bool
walk(const void *runtime, struct interp_copy *copy,
     const struct interp_listed *thread, struct interp_stack *s)
{
	const struct lua *lua = runtime;

	switch (lua_walk_state(lua->layout, copy, thread->block)) {
	case LUA_NO_STATE:
		return false;
	case LUA_YIELDING:
		/* It runs until it is suspended, if no other one does. */
		if (thread->id != place_of(&copy->moment))
			return false;
		break;
	case LUA_IDLE:
		return thread->id == place_of(&copy->moment);
	case LUA_ACTIVE:
		break;
	}
	lua_walk(lua->layout, lua->functions, copy, thread->block, s);
	s->resume = lua->resume;
	if (lua->resume.start == lua->resume.end)
		s->levels = 0;
	return true;
}

static void
find_names(void *runtime, const struct interp_reader *reader,
	   struct interp_functions *functions, struct interp_stack *s)
{
	struct lua *lua = runtime;

	lua_functions_name(lua->functions, reader, functions, s);
}

const struct interp_language lua_language = {
	.may_be = may_be,
	.open = open_runtime,
	.close = close_runtime,
	.loops = loops,
	.root = root,
	.walk = walk,
	.find_names = find_names,
};
