/* luajit.c - LuaJIT, of which OpenResty has its own. */
#include "interp/luajit.h"

#include "interp/interp_words.h"
#include "interp/luajit_walk.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

struct luajit {
	struct interp_words stack;
	struct interp_ranges loops;
	struct luajit_functions *functions;
};

static bool
may_be(struct str file)
{
	return str_search(file, STR("luajit")) != NULL;
}

/*
 * Whether lua_status() reads its byte where objects with pointers of 32 bits
 * have it: movzx eax, byte [rdi + 7].
 */
static bool
has_short_pointers(const struct interp_reader *reader, uint64_t lua_status)
{
	const unsigned char load[] = { 0x0f, 0xb6, 0x47, 7 };
	struct interp_copy memory = { 0 };
	unsigned char code[16];
	bool found = false;
	size_t i;

	interp_copy_begin(&memory, reader, NULL, NULL, NULL, 0);
	if (interp_copy_read(&memory, lua_status, code, sizeof(code))) {
		for (i = 0; i <= sizeof(code) - sizeof(load); i++)
			found |= memcmp(code + i, load, sizeof(load)) == 0;
	}
	interp_copy_free(&memory);
	return found;
}

static void *
open_runtime(const struct interp_target *target, size_t map,
	     const struct interp_reader *reader, struct buf *why)
{
	enum { MODE, STATUS, SYMBOLS };
	struct interp_symbol symbol[SYMBOLS] = {
		[MODE] = { "luaJIT_setmode", 0, 0 },
		[STATUS] = { "lua_status", 0, 0 },
	};
	struct interp_ranges loops = { .n = 0 };
	struct luajit *found;

	if (!interp_binary_find(target, map, symbol, SYMBOLS, NULL, NULL) ||
	    symbol[MODE].address == 0)
		return NULL;
	if (has_short_pointers(reader, symbol[STATUS].address)) {
		buf_str(
		    why,
		    STR("LuaJIT: a build without LJ_GC64 is not supported"));
		return NULL;
	}
	/* For unwinding, the interpreter is a function that has its frame. */
	if (!interp_binary_largest(target, map, LUAJIT_C_BYTES, &loops)) {
		buf_str(why, STR("LuaJIT: its interpreter cannot be found"));
		return NULL;
	}
	found = mem_zero(1, sizeof(*found));
	found->stack = interp_words_of(target);
	found->loops = loops;
	found->functions = luajit_functions_new();
	return found;
}

static void
close_runtime(void *runtime)
{
	struct luajit *luajit = runtime;

	luajit_functions_free(luajit->functions);
	free(luajit);
}

static const struct interp_ranges *
loops(const void *runtime)
{
	const struct luajit *luajit = runtime;

	return &luajit->loops;
}

/* Threads: a global_State is found by any lua_State in the C stack. */

struct luajit_search {
	struct interp_copy *memory;
	uint64_t global;
	size_t layout;
};

static bool
visit(void *arg, uint64_t address, const char head[INTERP_WORDS_HEAD])
{
	struct luajit_search *s = arg;

	(void)address;
	s->global = luajit_walk_find(s->memory, head, &s->layout);
	return s->global != 0;
}

static void
root(void *runtime, struct interp_copy *memory, struct interp_listed *thread)
{
	const struct luajit *luajit = runtime;
	struct luajit_search s = { .memory = memory };

	interp_words_search(&luajit->stack, memory, thread->tid,
			    memory->moment.sp != 0, visit, &s);
	thread->block = s.global;
	thread->id = s.layout;
}

static bool
walk(const void *runtime, struct interp_copy *copy,
     const struct interp_listed *thread, struct interp_stack *s)
{
	const struct luajit *luajit = runtime;
	const struct luajit_vm vm = {
		.layout = luajit_layout_of((size_t)thread->id),
		.global = thread->block,
		.range = luajit->loops.range[0],
		.functions = luajit->functions,
	};

	return luajit_walk(&vm, copy, s);
}

static void
find_names(void *runtime, const struct interp_reader *reader,
	   struct interp_functions *functions, struct interp_stack *s)
{
	struct luajit *luajit = runtime;

	luajit_functions_name(luajit->functions, reader, functions, s);
}

const struct interp_language luajit_language = {
	.may_be = may_be,
	.open = open_runtime,
	.close = close_runtime,
	.loops = loops,
	.root = root,
	.walk = walk,
	.find_names = find_names,
};
