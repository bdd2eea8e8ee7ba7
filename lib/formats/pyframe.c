/* pyframe.c - frames of Python tracebacks. */
#include "formats/pyframe.h"

#include "folded/script_name.h"

bool
pyframe_print(struct buf *text, struct str frame, bool with_line)
{
	const struct str between = STR("\", line "), in = STR(" in ");
	const struct str begin = STR("File \"");
	struct str file = str_skip(frame, begin.len), number;
	const char *p = str_search(file, between), *end;

	if (!str_starts(frame, begin) || p == NULL)
		return false;
	number = str_range(p + between.len, frame.p + frame.len);
	end = str_search(number, in);
	if (end == NULL)
		return false;
	number.len = (size_t)(end - number.p);
	if (str_ends(number, STR(",")))
		number.len--;
	text->len = 0;
	script_name_print(text, str_range(end + in.len, frame.p + frame.len),
			  str_range(file.p, p), with_line ? number : STR(""));
	return true;
}
