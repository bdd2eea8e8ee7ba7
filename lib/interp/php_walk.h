/* php_walk.h - the frames of a thread of PHP. */
#ifndef PHP_WALK_H
#define PHP_WALK_H

#include "interp/php_functions.h"

/* A call as it is in memory: zend_execute_data. */
struct php_vm_call {
	uint64_t opline, function;
	uint32_t info;
	bool suspended; /* a generator that waits for one that it delegates to
			 */
};

/* Scratch memory of walks; all zero is empty, release with free(call). */
struct php_calls {
	struct php_vm_call *call;
	size_t n, cap;
};

/* Walk the frames of the thread whose zend_executor_globals are at globals. */
void php_walk(struct php_functions *functions, struct php_calls *calls,
	      struct interp_copy *copy, uint64_t globals,
	      struct interp_stack *s);

/*
 * Add a frame with the method and path of the request that a server works on,
 * whose sapi_globals are at sapi, if there is one and there are other frames.
 */
void php_walk_request(struct php_functions *functions, struct interp_copy *copy,
		      uint64_t sapi, struct interp_stack *s);

#endif
