/* ruby_plumbing.c - functions by which Ruby calls functions. */
#include "interp/ruby_plumbing.h"

/*
 * Functions of Ruby, of all versions, that stand between the loop and the
 * function that it calls, or between the start of a thread and the loop.
 */
static const char *const names[] = {
	"call_cfunc*",
	"call_method_data",
	"call_method_entry",
	"fiber_entry",
	"invoke_block*",
	"invoke_bmethod*",
	"invoke_iseq_block_from_c",
	"iterate_method",
	"jit_exec*",
	"mjit_exec*",
	"ractor_safe_call_cfunc*",
	"rb_block_call*",
	"rb_call",
	"rb_call0",
	"rb_call_super*",
	"rb_call_with_caller_frame*",
	"rb_check_funcall*",
	"rb_ec_exec_node",
	"rb_ec_funcallv*",
	"rb_ec_iseq_eval*",
	"rb_fiber_start",
	"rb_funcall*",
	"rb_iseq_eval*",
	"rb_iterate*",
	"rb_lambda_call",
	"rb_main",
	"rb_method_call*",
	"rb_obj_call_init*",
	"rb_proc_call*",
	"rb_vm_call*",
	"rb_vm_exec",
	"rb_vm_invoke_bmethod*",
	"rb_vm_invoke_proc*",
	"rb_vm_opt_cfunc*",
	"rb_yield*",
	"ruby_exec_node",
	"ruby_run_node",
	"send_internal*",
	"thread_do_start*",
	"thread_start_func_1",
	"thread_start_func_2",
	"vm_call*",
	"vm_exec",
	"vm_exec_core",
	"vm_exec_loop",
	"vm_invoke*",
	"vm_search*",
	"vm_send*",
	"vm_yield*",
};

const struct interp_plumbing ruby_plumbing = { .language = "ruby",
					       .file = "ruby",
					       .name = names,
					       .n = sizeof(names) /
						    sizeof(*names) };
