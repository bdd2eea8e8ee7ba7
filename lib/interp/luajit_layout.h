/* luajit_layout.h - where the fields of LuaJIT's structures are. */
#ifndef LUAJIT_LAYOUT_H
#define LUAJIT_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

/*
 * From lj_obj.h, lj_frame.h and lj_jit.h of 2.1 on x86-64, with pointers of 64
 * bits (LJ_GC64), the default since 2019.  Offsets in bytes.
 */
enum {
	/* Objects */
	LUAJIT_TYPE = 9,
	LUAJIT_TYPE_THREAD = 6, /* a lua_State */
	LUAJIT_TYPE_PROTO = 7,
	LUAJIT_TYPE_FUNCTION = 8,
	LUAJIT_TYPE_TRACE = 9,
	/* lua_State */
	LUAJIT_GLOBAL = 16,
	LUAJIT_BASE = 32, /* of the frame of a function in C */
	LUAJIT_STACK_LAST = 48,
	LUAJIT_STACK = 56,
	LUAJIT_C_FRAME = 80,        /* the innermost of the VM, and two flags */
	LUAJIT_STATE_BYTES = 96,    /* at least, */
	LUAJIT_STATE_MOST = 128,    /* and at most */
	LUAJIT_STACK_EXTRA = 8 * 8, /* beyond its last slot */
	LUAJIT_STACK_FIRST = 16,    /* the outermost base */
	/* GCfunc */
	LUAJIT_FUNCTION_KIND = 10, /* 0: of Lua; otherwise a builtin, or in C */
	LUAJIT_FUNCTION_PC = 32,
	LUAJIT_FUNCTION_BYTES = 40,
	/* GCproto; its code follows it */
	LUAJIT_PROTO_SIZE = 12, /* instructions */
	LUAJIT_PROTO_CHUNK = 64,
	LUAJIT_PROTO_LINE = 72,
	LUAJIT_PROTO_LINES = 76, /* how many lines it has */
	LUAJIT_PROTO_LINE_INFO = 80,
	LUAJIT_PROTO_BYTES = 104,
	LUAJIT_INSTRUCTION = 4,
	LUAJIT_OPERAND_A = 1, /* of an instruction */
	/* GCstr */
	LUAJIT_STRING_TEXT = 24,
	/* GCtrace */
	LUAJIT_TRACE_PROTO = 64,
	LUAJIT_TRACE_START = 72,
	LUAJIT_TRACE_NUMBER = 104, /* 16 bits */
	LUAJIT_TRACE_BYTES = 112,
	/*
	 * A frame of the VM on the C stack, which does not change while it
	 * runs: its stack pointer, where lua_State and pc are saved, too.
	 */
	LUAJIT_C_RESULTS = 8, /* 32 bits; negative if it has no frame of Lua */
	LUAJIT_C_STATE = 16,
	LUAJIT_C_PC = 24,
	LUAJIT_C_PREVIOUS = 32,
	LUAJIT_C_RETURN = 72,
	LUAJIT_C_BYTES = 80,
	LUAJIT_C_FLAGS = 3
};

/* A value of vmstate that is no trace number. */
enum { LUAJIT_STATE_C = -2 /* a function in C */ };

/* The types of frames, in the low bits of their links. */
enum {
	LUAJIT_FRAME_MASK = 7,
	LUAJIT_FRAME_LUA_MASK = 3, /* 0: the link is a pc */
	LUAJIT_FRAME_C = 1,
	LUAJIT_FRAME_CONTINUATION = 2,
	LUAJIT_FRAME_VARIABLE = 3,
	LUAJIT_FRAME_C_PROTECTED = 5,
	LUAJIT_CONTINUATION_CALLBACK = 1 /* from C by the FFI */
};

/* The global_State of a range of versions; the main lua_State is before it. */
struct luajit_layout {
	uint16_t state;    /* of the VM */
	uint16_t main;     /* the main lua_State */
	uint16_t current;  /* the lua_State that runs */
	uint16_t jit_base; /* of the frame where a trace began; or 0 */
	uint16_t traces;   /* the array of them */
};

enum { LUAJIT_GLOBAL_BYTES = 400, LUAJIT_LAYOUTS = 4 };

/* Layout number i. */
const struct luajit_layout *luajit_layout_of(size_t i);

#endif
