/* interp_text.c - how frames of interpreters look in folded text; folded(5). */
#include "interp/interp_text.h"

void
interp_text_frame(struct buf *out, struct str language, struct str name,
		  struct str file, uint32_t line)
{
	/* Profilers of Python write the file, those of PHP do not. */
	const bool with_file = line > 0 || str_eq(language, STR("python"));

	buf_str(out, name.len > 0 ? name : STR("[unknown]"));
	if (file.len == 0 || !with_file)
		return;
	if (line > 0 && str_eq(name, file)) {
		buf_char(out, ':');
		buf_u64(out, line);
		return;
	}
	buf_str(out, STR(" ("));
	buf_str(out, file);
	if (line > 0) {
		buf_char(out, ':');
		buf_u64(out, line);
	}
	buf_char(out, ')');
}
