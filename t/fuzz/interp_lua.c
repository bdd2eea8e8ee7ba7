/*
 * interp_lua - Lua in a process whose memory is hostile, as a libFuzzer target.
 *
 * The first byte chooses the version, the second one which pages can be read.
 * The rest is the memory, which all addresses wrap around in; small inputs so
 * are full of rings.
 */
#include "interp_memory.h"

#include "interp/lua_walk.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

struct lua {
	const struct lua_layout *layout;
	struct lua_functions *functions;
};

static void
walk(void *arg, struct interp_copy *copy, struct interp_stack *s)
{
	const struct lua *lua = arg;

	lua_walk_state(lua->layout, copy, 8);
	lua_walk(lua->layout, lua->functions, copy, 8, s);
	s->resume = (struct interp_range){ 0x80, 0xa0 };
}

static void
name(void *arg, const struct interp_reader *reader,
     struct interp_functions *names, struct interp_stack *s)
{
	const struct lua *lua = arg;

	lua_functions_name(lua->functions, reader, names, s);
}

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	struct lua lua;
	const struct memory_walk steps = { walk, name, &lua };
	struct interp_memory m;

	if (!interp_memory_begin(&m, data, size))
		return 0;
	lua.layout = lua_layout_of(1 + data[0] % 4);
	lua.functions = lua_functions_new(lua.layout);
	interp_memory_sample(&m, &steps);
	lua_functions_free(lua.functions);
	return 0;
}
