/* interp_text.c - how frames of interpreters look in folded text; folded(5). */
#include "interp/interp_text.h"

/* Cut ":12" off the end. */
static bool
cut_number(struct str *s)
{
	size_t n = s->len;

	while (n > 0 && s->p[n - 1] >= '0' && s->p[n - 1] <= '9')
		n--;
	if (n == 0 || n == s->len || s->p[n - 1] != ':')
		return false;
	s->len = n - 1;
	return true;
}

/* Whether a name has its file, as "f /a.js:2:13". */
static bool
has_file(struct str name, struct str file)
{
	return cut_number(&name) && cut_number(&name) && name.len > file.len &&
	       name.p[name.len - file.len - 1] == ' ' &&
	       str_eq(str_skip(name, name.len - file.len), file);
}

/* The mark that a name ends with, as "_[j]"; folded(5). */
static struct str
find_mark(struct str name)
{
	const size_t n = 4;
	const struct str end = name.len > n ? str_skip(name, name.len - n) :
					      STR("");

	return str_starts(end, STR("_[")) && end.p[n - 1] == ']' ? end :
								   STR("");
}

void
interp_text_frame(struct buf *out, struct str name, struct str file,
		  uint32_t line)
{
	const bool is_file = str_eq(name, file);
	const struct str mark = find_mark(name);

	if (file.len == 0) {
		name.len -= mark.len;
		buf_str(out, name.len > 0 ? name : STR("[unknown]"));
		if (line > 0)
			buf_printf(out, ":%u", line);
		buf_str(out, mark);
		return;
	}
	buf_str(out, name.len > 0 ? name : STR("[unknown]"));
	if (line == 0 && has_file(name, file))
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
