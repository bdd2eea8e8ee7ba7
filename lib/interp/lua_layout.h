/* lua_layout.h - where the fields of Lua's structures are. */
#ifndef LUA_LAYOUT_H
#define LUA_LAYOUT_H

#include <stdint.h>

/* Offsets in bytes of 64-bit builds with numbers of 64 bits. */
struct lua_layout {
	uint8_t minor;
	/* lua_State */
	uint8_t global, call;
	uint8_t stack; /* of values; its end, but for a few, comes before */
	/* CallInfo */
	uint8_t call_pc, call_status;
	/* A bit of the status, and its value if a loop begins with the call. */
	uint8_t fresh, fresh_is;
	/* Proto */
	uint8_t code, size, lines, absolute, source, line, proto_size;
};

/* The layout of Lua 5.minor; NULL if there is none. */
const struct lua_layout *lua_layout_of(unsigned minor);

/* What 5.2 to 5.4 have in common. */
enum {
	LUA_TYPE = 8,        /* of objects, */
	LUA_TYPE_THREAD = 8, /* and this is a lua_State */
	LUA_STATE_BYTES = 96,
	LUA_STATUS = 12,
	LUA_STACK_EXTRA = 5 * 16, /* beyond the end of the stack */
	LUA_CALL_FUNCTION = 0,
	LUA_CALL_PREVIOUS = 16,
	LUA_CALL_NEXT = 24,
	LUA_CALL_BYTES = 72,
	LUA_VALUE_TYPE = 8,
	LUA_VALUE_BYTES = 16,
	LUA_VALUE_FUNCTION = 0x46,   /* types of values: a function of Lua, */
	LUA_VALUE_C_CLOSURE = 0x66,  /* one in C with upvalues, */
	LUA_VALUE_C_FUNCTION = 0x16, /* and one without, */
	LUA_VALUE_THREAD = 0x48,     /* a lua_State */
	LUA_CLOSURE_PROTO = 24,
	LUA_C_CLOSURE_VALUE = 32, /* the first upvalue */
	LUA_STRING_TEXT = 24,
	LUA_INSTRUCTION = 4
};

#endif
