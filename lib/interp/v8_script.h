/* v8_script.h - lines of a script in the heap of a running process. */
#ifndef V8_SCRIPT_H
#define V8_SCRIPT_H

#include "interp/v8_layout.h"

/* All zero is empty; release with v8_script_free(). */
struct v8_script {
	struct buf name;
	uint64_t object; /* where it was last */
	int32_t id;
	uint32_t *end; /* positions after the end of each line */
	size_t n, cap;
	int tries; /* to read its lines */
	bool has_lines;
};

struct v8_place {
	uint32_t line, column; /* from 1 on */
};

/*
 * Find the line and column of a position; false if they cannot be read.  The
 * process may run: the script is checked after its text was read.
 */
bool v8_script_find(struct v8_script *script, const struct v8_layout *l,
		    struct interp_copy *memory, int64_t position,
		    struct v8_place *place);

void v8_script_free(struct v8_script *script);

#endif
