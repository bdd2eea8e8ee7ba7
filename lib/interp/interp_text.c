/* interp_text.c - how frames of interpreters look in folded text; folded(5). */
#include "interp/interp_text.h"

void
interp_text_frame(struct buf *out, struct str name, struct str file,
		  uint32_t line)
{
	const bool is_file = str_eq(name, file);

	buf_str(out, name.len > 0 ? name : STR("[unknown]"));
	if (file.len == 0)
		return;
	if (!is_file) {
		buf_str(out, STR(" ("));
		buf_str(out, file);
	}
	if (line > 0) {
		buf_char(out, ':');
		buf_u64(out, line);
	}
	if (!is_file)
		buf_char(out, ')');
}
