/* pyframe.c - frames of Python tracebacks. */
#include "formats/pyframe.h"

bool
pyframe_print(struct buf *text, struct str line)
{
	const struct str between = STR("\", line "), in = STR(" in ");
	const struct str begin = STR("File \"");
	struct str file = str_skip(line, begin.len), number;
	const char *p = str_search(file, between), *end;

	if (!str_starts(line, begin) || p == NULL)
		return false;
	number = str_range(p + between.len, line.p + line.len);
	end = str_search(number, in);
	if (end == NULL)
		return false;
	number.len = (size_t)(end - number.p);
	if (str_ends(number, STR(",")))
		number.len--;
	text->len = 0;
	buf_str(text, str_range(end + in.len, line.p + line.len));
	buf_str(text, STR(" ("));
	buf_str(text, str_range(file.p, p));
	buf_char(text, ':');
	buf_str(text, number);
	buf_char(text, ')');
	return true;
}
