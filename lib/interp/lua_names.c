/* lua_names.c - how functions of Lua are named, in all its versions. */
#include "interp/lua_names.h"

#include "interp/interp_binary.h"

/* The longest name that is read; more is cut off. */
enum { TEXT_BYTES = 1024 };

struct str
lua_names_file(struct interp_copy *copy, uint64_t address, struct buf *text)
{
	const size_t piece = 64;
	const char *end = NULL;
	struct str file;
	size_t n;

	text->len = 0;
	for (n = 0; n < TEXT_BYTES && end == NULL; n += piece) {
		buf_reserve(text, piece + 1);
		if (!interp_copy_read(copy, address + n, text->p + n, piece))
			break;
		text->len += piece;
		end = memchr(text->p, '\0', text->len);
	}
	if (end != NULL)
		text->len = (size_t)(end - text->p);
	end = text->len == 0 ? NULL : memchr(text->p, '\n', text->len);
	if (end != NULL)
		text->len = (size_t)(end - text->p);
	file = buf_slice(text);
	return file.len > 0 && (*file.p == '@' || *file.p == '=') ?
		   str_skip(file, 1) :
		   file;
}

void
lua_names_function(struct str file, uint32_t line, struct buf *name)
{
	if (file.len == 0)
		return;
	buf_str(name, interp_binary_name(file));
	buf_char(name, ':');
	buf_u64(name, line);
}
