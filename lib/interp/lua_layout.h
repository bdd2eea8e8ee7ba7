/* lua_layout.h - where the fields of Lua's structures are. */
#ifndef LUA_LAYOUT_H
#define LUA_LAYOUT_H

#include <stdint.h>

/* Offsets in bytes of 64-bit builds with numbers of 64 bits. */
struct lua_layout {
	uint8_t minor;
	/* lua_State */
	uint8_t global, call, status;
	uint8_t stack; /* of values; its end, but for a few, comes before */
	/*
	 * In 5.1, where calls are an array: its start, its last element, and
	 * where the function that runs is.  0 where they are a list.
	 */
	uint8_t calls, calls_end, pc;
	/* CallInfo */
	uint8_t call_bytes, call_function, call_pc, call_status;
	/* A bit of the status, and its value if a loop begins with the call. */
	uint8_t fresh, fresh_is;
	/* Closures: the Proto of one of Lua, the first upvalue of one in C. */
	uint8_t closure_proto, closure_value;
	/* Types of values: a function of Lua, and a lua_State. */
	uint8_t type_function, type_thread;
	/* Proto */
	uint8_t code, size, lines, absolute, source, line, proto_size;
};

/* The layout of Lua 5.minor; NULL if there is none. */
const struct lua_layout *lua_layout_of(unsigned minor);

/* What 5.1 to 5.4 have in common. */
enum {
	LUA_TYPE = 8,        /* of objects, */
	LUA_TYPE_THREAD = 8, /* and this is a lua_State */
	LUA_STATUS_YIELD = 1,
	LUA_STATE_BYTES = 96,
	LUA_STACK_EXTRA = 5 * 16, /* beyond the end of the stack */
	LUA_CALL_PREVIOUS = 16,   /* in a list */
	LUA_CALL_NEXT = 24,
	LUA_CALL_BYTES = 72, /* at most */
	LUA_VALUE_TYPE = 8,
	LUA_VALUE_BYTES = 16,
	LUA_VALUE_C_CLOSURE = 0x66,  /* types: a function in C with upvalues, */
	LUA_VALUE_C_FUNCTION = 0x16, /* and one without; not in 5.1 */
	LUA_CLOSURE_BYTES = 40,      /* up to after its Proto, at most */
	LUA_CLOSURE_IS_C = 10,       /* in 5.1 */
	LUA_STRING_TEXT = 24,
	LUA_INSTRUCTION = 4,
	/* Instructions of 5.1 that call a function without another loop. */
	LUA_OPCODE_CALL = 28,
	LUA_OPCODE_TAIL_CALL = 29,
	LUA_OPCODE_MASK = 63
};

#endif
