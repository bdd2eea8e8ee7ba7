/* script_name.c - names of functions of interpreted languages. */
#include "folded/script_name.h"

void
script_name_print(struct buf *out, struct str name, struct str file,
		  struct str line)
{
	buf_str(out, name);
	if (file.len == 0)
		return;
	buf_str(out, STR(" ("));
	buf_str(out, file);
	if (line.len > 0)
		buf_char(out, ':');
	buf_str(out, line);
	buf_char(out, ')');
}

bool
script_name_is_python(struct str file)
{
	return str_ends(file, STR(".py")) || str_ends(file, STR(".pyw")) ||
	       str_starts(file, STR("<frozen ")) ||
	       str_eq(file, STR("<string>")) || str_eq(file, STR("<stdin>"));
}

/* Source: Python/perf_trampoline.c of CPython, "py::%s:%s". */
bool
script_name_split(struct str symbol, struct str *name, struct str *file)
{
	if (!str_starts(symbol, STR("py::")))
		return false;
	*file = str_skip(symbol, strlen("py::"));
	*name = str_cut(file, ':');
	return name->len > 0 &&
	       (script_name_is_python(*file) || str_starts(*file, STR("/")) ||
		str_starts(*file, STR("<")));
}

bool
script_name_strip_line(struct buf *out, struct str frame)
{
	const char *colon = memrchr(frame.p, ':', frame.len), *open;
	uint64_t line;

	if (colon == NULL || !str_ends(frame, STR(")")) ||
	    !str_u64(str_range(colon + 1, frame.p + frame.len - 1), &line))
		return false;
	frame.len = (size_t)(colon - frame.p);
	open = str_search(frame, STR(" ("));
	if (open == NULL || !script_name_is_python(str_range(open + 2, colon)))
		return false;
	buf_str(out, frame);
	buf_char(out, ')');
	return true;
}
