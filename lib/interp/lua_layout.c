/* lua_layout.c - where the fields of Lua's structures are. */
#include "interp/lua_layout.h"

#include <stddef.h>

/* From lstate.h and lobject.h of 5.1.5, 5.2.4, 5.3.6 and 5.4.4. */
static const struct lua_layout layouts[] = {
	{ .minor = 1,
	  .global = 32,
	  .call = 40,
	  .status = 10,
	  .stack = 64,
	  .calls = 80,
	  .calls_end = 72,
	  .pc = 48,
	  .call_bytes = 40,
	  .call_function = 8,
	  .call_pc = 24,
	  .closure_proto = 32,
	  .closure_value = 40,
	  .type_function = 6,
	  .type_thread = 8,
	  .code = 24,
	  .size = 80,
	  .lines = 40,
	  .source = 64,
	  .line = 96,
	  .proto_size = 100 },
	{ .minor = 2,
	  .status = 10,
	  .call_bytes = 72,
	  .closure_proto = 24,
	  .closure_value = 32,
	  .type_function = 0x46,
	  .type_thread = 0x48,
	  .global = 24,
	  .call = 32,
	  .stack = 56,
	  .call_pc = 56,
	  .call_status = 34,
	  .fresh = 1 << 2, /* CIST_REENTRY */
	  .fresh_is = 0,
	  .code = 24,
	  .size = 88,
	  .lines = 40,
	  .source = 72,
	  .line = 104,
	  .proto_size = 108 },
	{ .minor = 3,
	  .status = 12,
	  .call_bytes = 72,
	  .closure_proto = 24,
	  .closure_value = 32,
	  .type_function = 0x46,
	  .type_thread = 0x48,
	  .global = 24,
	  .call = 32,
	  .stack = 56,
	  .call_pc = 40,
	  .call_status = 66,
	  .fresh = 1 << 3,
	  .fresh_is = 1 << 3,
	  .code = 56,
	  .size = 24,
	  .lines = 72,
	  .source = 104,
	  .line = 40,
	  .proto_size = 112 },
	{ .minor = 4,
	  .status = 10,
	  .call_bytes = 72,
	  .closure_proto = 24,
	  .closure_value = 32,
	  .type_function = 0x46,
	  .type_thread = 0x48,
	  .global = 24,
	  .call = 32,
	  .stack = 48,
	  .call_pc = 32,
	  .call_status = 62,
	  .fresh = 1 << 2,
	  .fresh_is = 1 << 2,
	  .code = 64,
	  .size = 24,
	  .lines = 88,
	  .absolute = 96,
	  .source = 112,
	  .line = 44,
	  .proto_size = 120 },
};

const struct lua_layout *
lua_layout_of(unsigned minor)
{
	size_t i;

	for (i = 0; i < sizeof(layouts) / sizeof(*layouts); i++) {
		if (layouts[i].minor == minor)
			return &layouts[i];
	}
	return NULL;
}
