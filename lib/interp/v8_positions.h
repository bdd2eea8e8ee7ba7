/* v8_positions.h - from a place in bytecodes to one in the script. */
#ifndef V8_POSITIONS_H
#define V8_POSITIONS_H

#include "interp/v8_layout.h"

/* Objects that do not move; all zero is unknown. */
struct v8_positions {
	uint64_t map;  /* of all BytecodeArray */
	uint64_t none; /* what a function without positions has */
};

/*
 * Find the position in the script of an offset in the bytecodes of a function;
 * -1 if it is unknown.  V8 makes the table of a function when it needs it, for
 * example for an Error.  The table is kept in *table, which is empty at first,
 * and is read while the thread cannot run.  bytecodes may be any word.
 */
int64_t v8_positions_find(struct v8_positions *p, const struct v8_layout *l,
			  struct interp_copy *copy, struct buf *table,
			  uint64_t bytecodes, int64_t offset);

/* Whether an object is a BytecodeArray. */
bool v8_positions_is_bytecodes(struct v8_positions *p,
			       const struct v8_layout *l,
			       struct interp_copy *copy, uint64_t object);

#endif
