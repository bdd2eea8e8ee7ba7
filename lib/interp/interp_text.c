/* interp_text.c - how frames of interpreters look in folded text; folded(5). */
#include "interp/interp_text.h"

#include "interp/interp_binary.h"

#include <stdlib.h>

void
interp_text_frame(struct buf *out, struct str name, struct str file,
		  uint32_t line)
{
	buf_str(out, name.len > 0 ? name : STR("[unknown]"));
	if (file.len == 0)
		return;
	buf_str(out, STR(" ("));
	buf_str(out, file);
	if (line > 0) {
		buf_char(out, ':');
		buf_u64(out, line);
	}
	buf_char(out, ')');
}

/*
 * Functions of CPython, of all versions, that stand between the loop and the
 * function that it calls, or between the start of the program and the loop.
 * Sorted by bytes.
 */
static const char *const plumbing[] = {
	"PyCFunction_Call",
	"PyEval_CallObjectWithKeywords",
	"PyEval_EvalCode",
	"PyEval_EvalCodeEx",
	"PyEval_EvalFrame",
	"PyEval_EvalFrameEx",
	"PyFunction_Call",
	"PyIter_Send",
	"PyObject_Call",
	"PyObject_CallFunctionObjArgs",
	"PyObject_CallMethodObjArgs",
	"PyObject_CallNoArgs",
	"PyObject_CallObject",
	"PyObject_CallOneArg",
	"PyObject_Vectorcall",
	"PyObject_VectorcallMethod",
	"PyRun_AnyFileExFlags",
	"PyRun_FileExFlags",
	"PyRun_SimpleFileExFlags",
	"PyRun_SimpleStringFlags",
	"PyRun_StringFlags",
	"PyVectorcall_Call",
	"Py_BytesMain",
	"Py_Main",
	"Py_RunMain",
	"_PyCFunction_FastCallDict",
	"_PyCFunction_FastCallKeywords",
	"_PyEval_EvalCodeWithName",
	"_PyEval_EvalFrame",
	"_PyEval_Vector",
	"_PyFunction_FastCall",
	"_PyFunction_FastCallDict",
	"_PyFunction_FastCallKeywords",
	"_PyFunction_Vectorcall",
	"_PyMethodDef_RawFastCallDict",
	"_PyMethodDef_RawFastCallKeywords",
	"_PyMethodDescr_FastCallKeywords",
	"_PyObject_Call",
	"_PyObject_CallFunctionVa",
	"_PyObject_CallFunction_SizeT",
	"_PyObject_CallMethod",
	"_PyObject_CallMethodIdObjArgs",
	"_PyObject_CallNoArg",
	"_PyObject_CallNoArgs",
	"_PyObject_Call_Prepend",
	"_PyObject_FastCall",
	"_PyObject_FastCallDict",
	"_PyObject_FastCallDictTstate",
	"_PyObject_FastCallKeywords",
	"_PyObject_FastCall_Prepend",
	"_PyObject_MakeTpCall",
	"_PyObject_Vectorcall",
	"_PyObject_VectorcallDictTstate",
	"_PyObject_VectorcallTstate",
	"_PyRun_AnyFileObject",
	"_PyRun_SimpleFile",
	"_PyRun_SimpleFileObject",
	"_PyVectorcall_Call",
	"_Py_RunMain",
	"call_function",
	"call_method",
	"cfunction_call",
	"cfunction_call_varargs",
	"cfunction_vectorcall_FASTCALL",
	"cfunction_vectorcall_FASTCALL_KEYWORDS",
	"cfunction_vectorcall_NOARGS",
	"cfunction_vectorcall_O",
	"do_call",
	"do_call_core",
	"fast_function",
	"function_call",
	"function_code_fastcall",
	"gen_iternext",
	"gen_send_ex",
	"gen_send_ex2",
	"instancemethod_call",
	"method_call",
	"method_vectorcall",
	"method_vectorcall_FASTCALL",
	"method_vectorcall_FASTCALL_KEYWORDS",
	"method_vectorcall_NOARGS",
	"method_vectorcall_O",
	"method_vectorcall_VARARGS",
	"method_vectorcall_VARARGS_KEYWORDS",
	"object_vacall",
	"py_trampoline_evaluator",
	"pymain_main",
	"pymain_run_command",
	"pymain_run_file",
	"pymain_run_file_obj",
	"pymain_run_module",
	"pymain_run_python",
	"pymain_run_stdin",
	"pyrun_file",
	"pythread_wrapper",
	"run_eval_code_obj",
	"run_mod",
	"slot_tp_call",
	"t_bootstrap",
	"thread_run",
	"vectorcall_method",
	"wrap_call",
};

static int
compare(const void *a, const void *b)
{
	const struct str *key = a;
	const char *const *name = b;
	const int order = strncmp(key->p, *name, key->len);

	return order != 0 ? order : -((*name)[key->len] != '\0');
}

bool
interp_text_is_plumbing(struct str name, struct str module, bool callee)
{
	const char *dot;

	/* Functions of a stripped interpreter have no names. */
	if (name.len == 0)
		return callee && str_search(interp_binary_name(module),
					    STR("python")) != NULL;
	/* "f.part.0", "f.lto_priv.0" */
	dot = str_find(name, '.');
	if (dot != NULL)
		name.len = (size_t)(dot - name.p);
	return bsearch(&name, plumbing, sizeof(plumbing) / sizeof(*plumbing),
		       sizeof(*plumbing), compare) != NULL;
}
