/* lua.c - Lua, the interpreter of PUC-Rio. */
#include "interp/lua.h"

#include "interp/lua_walk.h"

#include "base/mem.h"

#include <stdlib.h>

struct lua {
	int64_t pid;
	uint64_t stack_end; /* of the main thread */
	const struct lua_layout *layout;
	struct interp_ranges loops;
	struct lua_functions *functions;
};

/* How much of a C stack is searched for a lua_State, in words. */
enum { SEARCHED_WORDS = 8192 };

static bool
may_be(struct str file)
{
	return str_search(file, STR("lua")) != NULL;
}

/* Opening. */

enum { CALL, CALLK, IS_INTEGER, USERDATA_VALUES, JIT, SYMBOLS };

/* The minor version, by functions of the interface; 0 if it is not Lua. */
static unsigned
find_version(const struct interp_symbol *symbol)
{
	if (symbol[CALLK].address == 0)
		return symbol[CALL].address != 0;
	if (symbol[USERDATA_VALUES].address != 0)
		return 4;
	return symbol[IS_INTEGER].address != 0 ? 3 : 2;
}

static uint64_t
find_stack_end(const struct interp_target *target)
{
	size_t i;

	for (i = 0; i < target->n; i++) {
		if (str_eq(target->map[i].path, STR("[stack]")))
			return target->map[i].end;
	}
	return 0;
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
		[JIT] = { "luaJIT_setmode", 0, 0 },
	};
	struct lua lua = { .pid = target->pid }, *found;
	unsigned minor;

	(void)reader;
	if (!interp_binary_find(target, map, symbol, SYMBOLS, "luaV_execute",
				&lua.loops))
		return NULL;
	minor = find_version(symbol);
	if (minor == 0)
		return NULL;
	if (symbol[JIT].address != 0) {
		buf_str(why, STR("LuaJIT: it is not supported"));
		return NULL;
	}
	lua.layout = lua_layout_of(minor);
	if (lua.layout == NULL) {
		buf_printf(why, "Lua 5.%u: its version is not supported",
			   minor);
		return NULL;
	}
	/* In all versions the loop is the largest function of the library. */
	if (lua.loops.n == 0 &&
	    !interp_binary_largest(target, map, &lua.loops)) {
		buf_printf(why, "Lua 5.%u: its loop is not found", minor);
		return NULL;
	}
	lua.stack_end = find_stack_end(target);
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

/* Search words of a C stack, those of the outermost frames last. */
static uint64_t
search_words(const struct lua *lua, struct interp_copy *memory,
	     const uint64_t *word, size_t n, uint64_t *idle)
{
	const uint64_t lowest = 65536, highest = UINT64_C(1) << 47;
	uint64_t head[2];
	enum lua_activity activity;

	for (; n > 0; n--) {
		if (word[n - 1] % 8 != 0 || word[n - 1] < lowest ||
		    word[n - 1] >= highest ||
		    !interp_copy_read(memory, word[n - 1], head,
				      sizeof(head)) ||
		    (head[1] & 0xff) != LUA_TYPE_THREAD)
			continue;
		activity = lua_walk_state(lua->layout, memory, word[n - 1]);
		if (activity == LUA_ACTIVE)
			return word[n - 1];
		if (activity == LUA_IDLE)
			*idle = word[n - 1];
	}
	return 0;
}

/* Read the outer part of a C stack; returns how many words. */
static size_t
read_stack(const struct lua *lua, struct interp_copy *memory, int64_t tid,
	   uint64_t *word)
{
	const uint64_t page = 4096, sp = memory->moment.sp;
	uint64_t start = sp / page * page;
	size_t n = SEARCHED_WORDS * sizeof(*word);

	if (tid == lua->pid && lua->stack_end != 0)
		start = lua->stack_end - n;
	else if (sp == 0)
		return 0;
	for (; n >= page; n /= 2) {
		if (interp_copy_read(memory, start, word, n))
			return n / sizeof(*word);
		if (tid == lua->pid)
			start = lua->stack_end - n / 2;
	}
	return 0;
}

static void
root(void *runtime, struct interp_copy *memory, struct interp_listed *thread)
{
	const struct lua *lua = runtime;
	uint64_t *word = mem_alloc(SEARCHED_WORDS * sizeof(*word));
	uint64_t idle = 0;
	const size_t n = read_stack(lua, memory, thread->tid, word);

	thread->block = search_words(lua, memory, word, n, &idle);
	if (thread->block == 0)
		thread->block = idle;
	/* A host may execute another state the next time. */
	thread->id = memory->moment.sp;
	free(word);
}

static bool
walk(const void *runtime, struct interp_copy *copy,
     const struct interp_listed *thread, struct interp_stack *s)
{
	const struct lua *lua = runtime;

	switch (lua_walk_state(lua->layout, copy, thread->block)) {
	case LUA_NO_STATE:
		return false;
	case LUA_IDLE:
		return thread->id == copy->moment.sp;
	case LUA_ACTIVE:
		break;
	}
	lua_walk(lua->layout, lua->functions, copy, thread->block, s);
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
