/* script_name.h - names of functions of interpreted languages; folded(5). */
#ifndef SCRIPT_NAME_H
#define SCRIPT_NAME_H

#include "base/buf.h"

/*
 * Append a frame: "Class.method (path/file.py)", and with a line
 * "Class.method (path/file.py:12)".  File and line may be empty.
 */
void script_name_print(struct buf *out, struct str name, struct str file,
		       struct str line);

/*
 * Whether a file is source of Python: "a.py", "<string>", "<frozen os>".  Other
 * names in angle brackets are of several languages.
 */
bool script_name_is_python(struct str file);

/*
 * Split "py::Class.method:path/file.py", as CPython's -X perf and perf_jit name
 * code.  False if it is something else, such as a name of C++.
 */
bool script_name_split(struct str symbol, struct str *name, struct str *file);

/*
 * Append "f (a.py)" for "f (a.py:12)".  False, and nothing is appended, if the
 * frame does not end in a line of a file of Python.
 */
bool script_name_strip_line(struct buf *out, struct str frame);

#endif
