/* tracefmt.c - the formats of tracepoints: where fields are in raw bytes. */
#include "perfdata/tracefmt.h"

#include "base/mem.h"

#include <stdlib.h>

/* A piece of the blob, after its size of 64 bits. */
static struct str
read_file(struct cursor *c)
{
	return cursor_bytes(c, cursor_u64(c));
}

/* Text up to its NUL. */
static struct str
read_name(struct cursor *c)
{
	struct str left = { c->p, cursor_left(c) };
	const char *nul = str_find(left, '\0');

	if (nul == NULL) {
		c->bad = true;
		return STR("");
	}
	c->p = nul + 1;
	return str_range(left.p, nul);
}

/* The rest of the first line that begins with a key. */
static struct str
find_line(struct str text, struct str key)
{
	struct str line;

	while (text.len > 0) {
		line = str_cut(&text, '\n');
		if (str_starts(line, key))
			return str_trim(str_skip(line, key.len));
	}
	return STR("");
}

static void
add_format(struct trace_formats *t, struct str system, struct str text)
{
	struct str name = find_line(text, STR("name:"));
	struct trace_format *format;
	char *p;
	uint64_t id;

	if (name.len == 0 || !str_u64(find_line(text, STR("ID:")), &id))
		return;
	t->format = mem_grow(t->format, &t->cap, t->n + 1, sizeof(*t->format));
	format = &t->format[t->n++];
	p = arena_alloc(&t->arena, system.len + 1 + name.len);
	memcpy(p, system.p, system.len);
	p[system.len] = ':';
	memcpy(p + system.len + 1, name.p, name.len);
	*format = (struct trace_format){
		.id = id,
		.name = { p, system.len + 1 + name.len },
		.text = arena_str(&t->arena, text),
	};
}

static void
read_systems(struct trace_formats *t, struct cursor *c)
{
	uint32_t systems = cursor_u32(c), events;
	struct str system, text;

	for (; systems > 0 && !c->bad; systems--) {
		system = read_name(c);
		for (events = cursor_u32(c); events > 0 && !c->bad; events--) {
			text = read_file(c);
			if (!c->bad)
				add_format(t, system, text);
		}
	}
}

void
tracefmt_read(struct trace_formats *t, struct str blob)
{
	const bool big_here = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
	struct cursor c = cursor_of(blob, false);
	uint32_t files;

	if (!str_eq(cursor_bytes(&c, 10), STR("\x17\x08\x44"
					      "tracing")))
		return;
	read_name(&c); /* version */
	c.swap = str_eq(cursor_bytes(&c, 1), STR("\x01")) != big_here;
	t->swap = c.swap;
	cursor_bytes(&c, 1); /* size of a long */
	cursor_u32(&c);      /* size of a page */
	read_name(&c);       /* "header_page" */
	read_file(&c);
	read_name(&c); /* "header_event" */
	read_file(&c);
	for (files = cursor_u32(&c); files > 0 && !c.bad; files--)
		read_file(&c); /* of ftrace itself */
	read_systems(t, &c);
}

const struct trace_format *
tracefmt_find(const struct trace_formats *t, uint64_t id)
{
	size_t i;

	for (i = 0; i < t->n; i++) {
		if (t->format[i].id == id)
			return &t->format[i];
	}
	return NULL;
}

/* The number after "key:" in a line with "key:12;"; UINT64_MAX if none. */
static uint64_t
find_number(struct str line, struct str key)
{
	const char *at = str_search(line, key);
	struct str rest;
	uint64_t n;

	if (at == NULL)
		return UINT64_MAX;
	rest = str_range(at + key.len, line.p + line.len);
	return str_u64(str_cut(&rest, ';'), &n) ? n : UINT64_MAX;
}

/* Whether a C declaration, such as "pid_t prev_pid", is of a name. */
static bool
declares(struct str declaration, struct str name)
{
	return str_ends(declaration, name) && declaration.len > name.len &&
	       declaration.p[declaration.len - name.len - 1] == ' ';
}

struct trace_field
tracefmt_field(const struct trace_format *format, struct str name)
{
	struct str rest = format == NULL ? STR("") : format->text, line, field;
	struct trace_field found;

	while (rest.len > 0) {
		line = str_cut(&rest, '\n');
		field = str_trim(line);
		if (!str_starts(field, STR("field:")) ||
		    !declares(str_cut(&field, ';'), name))
			continue;
		found.offset = find_number(line, STR("offset:"));
		found.size = find_number(line, STR("size:"));
		if (found.offset < UINT64_MAX &&
		    (found.size == 2 || found.size == 4 || found.size == 8))
			return found;
	}
	return (struct trace_field){ 0 };
}

bool
tracefmt_get(const struct trace_formats *t, struct trace_field field,
	     struct str raw, int64_t *value)
{
	struct cursor c = cursor_of(raw, t->swap);

	cursor_bytes(&c, field.offset);
	if (field.size == 8)
		*value = (int64_t)cursor_u64(&c);
	else if (field.size == 4)
		*value = (int32_t)cursor_u32(&c);
	else if (field.size == 2)
		*value = cursor_u16(&c);
	else
		c.bad = true;
	return !c.bad;
}

void
tracefmt_free(struct trace_formats *t)
{
	free(t->format);
	arena_free(&t->arena);
	*t = (struct trace_formats){ 0 };
}
