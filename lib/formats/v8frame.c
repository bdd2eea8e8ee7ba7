/* v8frame.c - reads a function in the JSON of V8's profiles. */
#include "formats/v8frame.h"

#include <inttypes.h>

uint32_t
v8frame_read(struct v8frame *f, struct sink *out, struct json *j)
{
	struct frame frame = { .whole = true };
	int64_t line = -1, column = -1;
	struct str key;

	f->name.len = f->url.len = 0;
	while (json_key(j, &key)) {
		if (str_eq(key, STR("functionName")))
			json_text(j, &f->name);
		else if (str_eq(key, STR("url")))
			json_text(j, &f->url);
		else if (str_eq(key, STR("lineNumber")))
			json_integer(j, &line);
		else if (str_eq(key, STR("columnNumber")))
			json_integer(j, &column);
		else
			json_skip(j);
	}
	if (f->name.len == 0)
		buf_str(&f->name, STR("(anonymous)"));
	if (f->url.len > 0) {
		buf_char(&f->name, ' ');
		buf_str(&f->name, buf_slice(&f->url));
	}
	if (line >= 0)
		buf_printf(&f->name, ":%" PRIu64, (uint64_t)line + 1);
	if (column >= 0)
		buf_printf(&f->name, ":%" PRIu64, (uint64_t)column + 1);
	frame.name = buf_slice(&f->name);
	return sink_token(out, &frame, 0);
}

void
v8frame_free(struct v8frame *f)
{
	buf_free(&f->name);
	buf_free(&f->url);
}
