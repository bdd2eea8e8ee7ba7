/* interp_functions.h - functions of interpreted languages, each one once. */
#ifndef INTERP_FUNCTIONS_H
#define INTERP_FUNCTIONS_H

#include "base/str.h"

/* Slices are valid as long as the table. */
struct interp_function {
	uint32_t number;
	struct str language; /* "python" */
	struct str name;     /* as the language qualifies it; may be empty */
	struct str file;     /* may be empty */
};

struct interp_functions;

struct interp_functions *interp_functions_new(void);
void interp_functions_free(struct interp_functions *all);

/* The number of a function: 0, 1, 2 ... in the order of first use. */
uint32_t interp_functions_add(struct interp_functions *all, struct str language,
			      struct str name, struct str file);

/* The function of a number that interp_functions_add() returned. */
struct interp_function interp_functions_get(const struct interp_functions *all,
					    uint32_t number);

#endif
