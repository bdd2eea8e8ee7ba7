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

int
LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	struct interp_memory m = { data + 2, size - 2, 0, 0 };
	const struct interp_reader reader = { .read = interp_memory_read,
					      .arg = &m };
	struct interp_functions *names = interp_functions_new();
	struct lua_functions *functions;
	const struct lua_layout *l;
	struct interp_copy copy = { 0 };
	struct interp_spans spans = { 0 };
	struct interp_stack s = { 0 };
	int i;

	if (size >= 2 + 64) {
		m.holes = data[1];
		l = lua_layout_of(2 + data[0] % 3);
		functions = lua_functions_new(l);
		for (i = 0; i < 3; i++) {
			interp_stack_clear(&s);
			interp_copy_begin(&copy, &reader, &spans, NULL, NULL,
					  0);
			lua_walk_state(l, &copy, 8);
			lua_walk(l, functions, &copy, 8, &s);
			interp_copy_end(&copy, &spans);
			if (s.n > INTERP_STACK_DEPTH ||
			    copy.bytes.len > INTERP_COPY_BYTES ||
			    copy.reads > INTERP_COPY_READS)
				abort();
			lua_functions_name(functions, &reader, names, &s);
			interp_memory_merge(&m, &s);
		}
		lua_functions_free(functions);
	}
	interp_stack_free(&s);
	interp_copy_free_spans(&spans);
	interp_copy_free(&copy);
	interp_functions_free(names);
	return 0;
}
