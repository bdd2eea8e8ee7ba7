/* php_plumbing.c - functions by which PHP calls functions. */
#include "interp/php_plumbing.h"

/*
 * Functions of the Zend engine, of all versions, that stand between the loop
 * and the function that it calls, or between the start and the loop.  zif_* and
 * zim_* are the functions and methods that PHP has frames for.
 */
static const char *const names[] = {
	"_call_user_function_ex",
	"_call_user_function_impl",
	"do_cli",
	"execute_ex",
	"fcgi_main",
	"make_fcontext",
	"php_execute_script",
	"php_execute_script_ex",
	"user_call",
	"zend_call_function",
	"zend_call_known_fcc",
	"zend_call_known_function",
	"zend_call_known_instance_method_with_2_params",
	"zend_call_method",
	"zend_execute",
	"zend_execute_script",
	"zend_execute_scripts",
	"zend_fiber_execute",
	"zend_fiber_trampoline",
	"zend_generator_resume",
	"zif_*",
	"zim_*",
};

const struct interp_plumbing php_plumbing = { "php", "php", names,
					      sizeof(names) / sizeof(*names) };
