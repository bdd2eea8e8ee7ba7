/* v8_script.c - lines of a script in the heap of a running process. */
#include "interp/v8_script.h"

#include "base/mem.h"
#include "interp/v8_string.h"

#include <stdlib.h>

/* Larger scripts have no lines. */
enum { MAX_TEXT = 1 << 24, BLOCK = 32768, MAX_TRIES = 4 };

/* The script and its text, before and after the text is read. */
struct identity {
	uint64_t map, source, name, id, text_map, text_length;
};

static bool
read_identity(const struct v8_script *script, const struct v8_layout *l,
	      struct interp_copy *memory, struct identity *i)
{
	const uint64_t o = script->object;

	i->map = v8_string_word(memory, o, 0);
	i->source = v8_string_word(memory, o, V8_SCRIPT_SOURCE);
	i->name = v8_string_word(memory, o, V8_SCRIPT_NAME);
	i->id = v8_string_word(memory, o, V8_SCRIPT_ID);
	i->text_map = v8_string_word(memory, i->source, 0);
	i->text_length = v8_string_word(memory, i->source, 8);
	return v8_string_type(memory, o) == l->script.type &&
	       v8_small(i->id) == script->id;
}

static void
add_line(struct v8_script *script, size_t end)
{
	script->end = mem_grow(script->end, &script->cap, script->n + 1,
			       sizeof(*script->end));
	script->end[script->n++] = (uint32_t)end;
}

/*
 * Lines end as in ECMAScript: by a line feed, a carriage return or both, or by
 * one of two characters of Unicode.
 */
static void
add_char(struct v8_script *script, uint16_t c, uint16_t previous, size_t at)
{
	const uint16_t line_separator = 0x2028, paragraph_separator = 0x2029;

	if (c == '\n' && previous == '\r')
		script->end[script->n - 1]++;
	else if (c == '\n' || c == '\r' || c == line_separator ||
		 c == paragraph_separator)
		add_line(script, at + 1);
}

static bool
read_lines(struct v8_script *script, struct interp_copy *memory,
	   uint64_t source)
{
	unsigned char bytes[BLOCK];
	struct v8_chars chars;
	uint16_t c, previous = 0;
	size_t at, n, i, width;

	if (!v8_string_chars(memory, source, &chars) || chars.n > MAX_TEXT)
		return false;
	width = chars.one_byte ? 1 : 2;
	for (at = 0; at < chars.n; at += n) {
		n = chars.n - at < BLOCK / width ? chars.n - at : BLOCK / width;
		if (!interp_copy_read(memory, chars.address + at * width, bytes,
				      n * width))
			return false;
		for (i = 0; i < n; i++) {
			c = bytes[i * width];
			if (width == 2)
				memcpy(&c, bytes + i * width, sizeof(c));
			add_char(script, c, previous, at + i);
			previous = c;
		}
	}
	add_line(script, SIZE_MAX);
	return true;
}

static void
find_lines(struct v8_script *script, const struct v8_layout *l,
	   struct interp_copy *memory)
{
	struct identity before = { 0 }, after = { 0 };

	script->n = 0;
	if (!read_identity(script, l, memory, &before) ||
	    !read_lines(script, memory, before.source) ||
	    !read_identity(script, l, memory, &after) ||
	    memcmp(&before, &after, sizeof(before)) != 0)
		return;
	script->has_lines = true;
}

bool
v8_script_find(struct v8_script *script, const struct v8_layout *l,
	       struct interp_copy *memory, int64_t position,
	       struct v8_place *place)
{
	size_t low = 0, high, mid;

	while (!script->has_lines && script->tries < MAX_TRIES) {
		script->tries++;
		find_lines(script, l, memory);
	}
	if (!script->has_lines || position < 0 || position > UINT32_MAX - 1)
		return false;
	for (high = script->n - 1; low < high;) {
		mid = low + (high - low) / 2;
		if (script->end[mid] > (uint64_t)position)
			high = mid;
		else
			low = mid + 1;
	}
	place->line = (uint32_t)low + 1;
	place->column = (uint32_t)position + 1 -
			(low == 0 ? 0 : script->end[low - 1]);
	return true;
}

void
v8_script_free(struct v8_script *script)
{
	buf_free(&script->name);
	free(script->end);
}
