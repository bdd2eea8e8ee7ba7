/* php_layout.h - where the fields of PHP's structures are. */
#ifndef PHP_LAYOUT_H
#define PHP_LAYOUT_H

#include <stdint.h>

/* Offsets in bytes of 64-bit builds: of zend_op_array, which versions differ
 * in. */
struct php_layout {
	uint8_t major, minor;
	uint8_t last; /* how many opcodes it has */
	uint8_t opcodes, file, line;
	uint8_t handler; /* of zend_internal_function: its code */
};

/* The layout of a version; NULL if there is none. */
const struct php_layout *php_layout_of(unsigned major, unsigned minor);

/* What 7.4 to 8.4 have in common. */
enum {
	/* zend_executor_globals: vm_stack, its size, current_execute_data */
	PHP_GLOBALS_STACK = 472,
	PHP_GLOBALS_CURRENT = 16, /* from there on */
	PHP_GLOBALS_BYTES = 24,

	/* zend_execute_data */
	PHP_CALL_OPLINE = 0,
	PHP_CALL_RESULT = 16, /* of a generator: its object */
	PHP_CALL_FUNCTION = 24,
	PHP_CALL_THIS = 32,
	PHP_CALL_INFO = 40, /* the type of This, and flags */
	PHP_CALL_PREVIOUS = 48,
	PHP_CALL_BYTES = 56,
	PHP_CALL_TOP = 1 << 17, /* a flag: an execute_ex() begins with it */

	/* zend_op */
	PHP_OPCODE_LINE = 24,
	PHP_OPCODE_BYTES = 32,

	/* zend_function; the rest is of zend_op_array */
	PHP_FUNCTION_TYPE = 0,
	PHP_FUNCTION_NAME = 8,
	PHP_FUNCTION_CLASS = 16,
	PHP_FUNCTION_BYTES = 96,   /* of one in C, up to its handler */
	PHP_FUNCTION_INTERNAL = 1, /* a type */
	PHP_ARRAY_BYTES = 184,     /* the largest of all layouts */

	/* zend_class_entry */
	PHP_CLASS_NAME = 8,

	/* zend_string */
	PHP_STRING_SIZE = 16,
	PHP_STRING_TEXT = 24,

	/* sapi_globals: request_info.request_method, .request_uri */
	PHP_REQUEST_METHOD = 8,
	PHP_REQUEST_URI = 48
};

#endif
