/* v8_layout.h - where V8 keeps what its frames need, by version. */
#ifndef V8_LAYOUT_H
#define V8_LAYOUT_H

#include "interp/interp_binary.h"
#include "interp/interp_copy.h"

/*
 * Offsets in bytes: in the isolate from its start, in objects from their
 * address without the tag.  Types of objects are the values in their maps.
 */
struct v8_layout {
	uint32_t major, minor; /* of V8 */
	struct {
		uint32_t exit_frame;  /* frame pointer of the last exit to C */
		uint32_t entry_frame; /* that of the first entry from C */
		uint32_t fast_call;   /* that of a caller of C without exit */
	} isolate;
	struct {
		uint32_t shared;
	} function; /* JSFunction */
	struct {
		uint32_t data, name, script, literal, size;
		uint16_t type;
	} shared; /* SharedFunctionInfo */
	struct {
		uint16_t type;
		bool raw_flags;      /* a word, not a Smi */
		bool fixed_position; /* before the names of variables */
	} scope;                     /* ScopeInfo */
	struct {
		uint16_t type;
	} script;
	struct {
		uint32_t positions; /* where the table of positions is */
		uint32_t data;
		uint16_t type, table_type;
	} bytecodes; /* BytecodeArray */
	/*
	 * Code, and what precedes its instructions: it lies before them itself
	 * up to V8 10, later a InstructionStream that points to it.
	 */
	struct {
		uint32_t before; /* how much lies before */
		uint32_t flags, instruction_bytes, deoptimization;
		uint8_t baseline; /* the kind; higher ones are optimised */
		uint16_t type;    /* of what lies before */
	} code;
	struct {
		uint8_t literals, optimization, entries; /* indices */
	} deoptimization; /* DeoptimizationData */
	uint8_t safepoint_header;
	const struct v8_opcodes *opcodes;
};

/* How the frames of optimised code are described: TranslationOpcode. */
struct v8_opcodes {
	/* How many operands each has, as digits. */
	const char *operands;
	/*
	 * BEGIN has a distance and the numbers of frames and of functions; up
	 * to V8 10 no distance, and all numbers have a sign.
	 */
	bool is_signed;
	uint8_t begin[2];
	uint8_t function[2], interpreted; /* first and last; the last that is
					     no builtin function */
	/* Go on as an earlier translation does; 0: there is no such opcode. */
	uint8_t repeat;
};

/* Fields that are in the same place in all versions. */
enum {
	V8_MAP_TYPE = 12,
	V8_STRING_LENGTH = 12,
	V8_STRING_DATA = 16, /* also: first part, parent, actual */
	V8_STRING_MORE = 24, /* second part, offset, external data */
	V8_SCRIPT_SOURCE = 8,
	V8_SCRIPT_NAME = 16,
	V8_SCRIPT_ID = 64,
	V8_ARRAY_LENGTH = 8,
	V8_ARRAY_DATA = 16
};

/* The type of a string is less. */
enum { V8_NOT_A_STRING = 128 };

/*
 * Find the layout in the file that mapping number map begins.  Returns false
 * if it has no V8, or one whose layout is unknown: then a reason is appended to
 * *why.
 */
bool v8_layout_find(struct v8_layout *l, const struct interp_target *target,
		    size_t map, const struct interp_reader *reader,
		    struct buf *why);

/* One of the layouts that are known, by any number; for tests. */
const struct v8_layout *v8_layout_known(size_t i);

/* Small integers, Smi, are in the upper half of a word whose lowest bit is 0.
 */
static inline bool
v8_is_object(uint64_t word)
{
	return (word & 3) == 1;
}

static inline int32_t
v8_small(uint64_t word)
{
	return (int32_t)(word >> 32);
}

#endif
