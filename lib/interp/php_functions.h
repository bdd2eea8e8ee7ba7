/* php_functions.h - functions and lines of PHP. */
#ifndef PHP_FUNCTIONS_H
#define PHP_FUNCTIONS_H

#include "interp/interp_functions.h"
#include "interp/interp_stack.h"
#include "interp/php_layout.h"

/*
 * A cache of the functions of a process.  A function may be freed, with its
 * names, at the end of a request; so what tells functions apart is copied
 * together with the frames, and strings are read only once.
 */
struct php_functions;

struct php_functions *php_functions_new(const struct php_layout *l);
void php_functions_free(struct php_functions *all);

/* A function in a copy; number is for struct interp_vm_frame's code. */
struct php_function {
	uint64_t number;
	bool internal;
	bool nameless;
};

/* Find the function at an address; false if it cannot be read. */
bool php_functions_find(struct php_functions *all, struct interp_copy *copy,
			uint64_t address, struct php_function *f);

/* The number of a frame that is no function, with a text. */
uint64_t php_functions_add_text(struct php_functions *all, struct str text);

/*
 * Set the functions and lines of frames, whose ip is the address of an opcode.
 * A function that cannot be read gets no name.
 */
void php_functions_name(struct php_functions *all,
			const struct interp_reader *reader,
			struct interp_functions *functions,
			struct interp_stack *s);

#endif
