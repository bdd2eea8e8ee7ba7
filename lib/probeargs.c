/* probeargs.c - what a probe fetched as it was hit. */
#include "probeargs.h"

#include "cursor.h"

#include <inttypes.h>

/* The number behind "key" in "key:12;", or false. */
static bool
number(struct str line, struct str key, uint64_t *n)
{
	const char *at = str_search(line, key);
	struct str rest;

	if (at == NULL)
		return false;
	rest = str_range(at + key.len, line.p + line.len);
	return str_u64(str_cut(&rest, ';'), n);
}

/* Bytes of the record; empty if it does not have them. */
static struct str
bytes(struct str raw, uint64_t offset, uint64_t size)
{
	struct cursor c = cursor_of(raw, false);

	cursor_bytes(&c, offset);
	return cursor_bytes(&c, size);
}

static bool
print_number(struct buf *out, struct str value, bool is_signed, bool swap)
{
	struct cursor c = cursor_of(value, swap);
	const unsigned unused = 64 - 8 * (unsigned)value.len;
	uint64_t n;

	switch (value.len) {
	case 1:
		n = (uint8_t)*value.p;
		break;
	case 2:
		n = cursor_u16(&c);
		break;
	case 4:
		n = cursor_u32(&c);
		break;
	case 8:
		n = cursor_u64(&c);
		break;
	default:
		return false;
	}
	if (is_signed)
		buf_printf(out, "%" PRId64, (int64_t)(n << unused) >> unused);
	else
		buf_printf(out, "%" PRIu64, n);
	return true;
}

/* A text is elsewhere: its length and place are what the field has. */
static bool
print_text(struct buf *out, struct str raw, struct str where, bool swap)
{
	struct cursor c = cursor_of(where, swap);
	uint32_t at = cursor_u32(&c);
	struct str text = bytes(raw, at & 0xffff, at >> 16);

	if (c.bad)
		return false;
	buf_char(out, '"');
	buf_str(out, str_cut(&text, '\0'));
	buf_char(out, '"');
	return true;
}

/* The line "field:s32 id;  offset:16;  size:4;  signed:1;" of a format. */
static void
print_field(const struct trace_formats *t, struct str line, struct str raw,
	    struct buf *out)
{
	uint64_t offset, size, is_signed = 0;
	struct str rest = str_skip(line, STR("field:").len), name, value;
	struct str type = str_cut(&rest, ';');
	const size_t old = out->len;
	const char *blank = memrchr(type.p, ' ', type.len);

	if (blank == NULL || !number(rest, STR("offset:"), &offset) ||
	    !number(rest, STR("size:"), &size))
		return;
	number(rest, STR("signed:"), &is_signed);
	name = str_range(blank + 1, type.p + type.len);
	if (str_starts(name, STR("common_")) ||
	    str_starts(name, STR("__probe_")))
		return;
	value = bytes(raw, offset, size);
	buf_str(out, old > 0 ? STR(" ") : STR(""));
	buf_str(out, name);
	buf_char(out, '=');
	if (!(str_starts(type, STR("__data_loc char[]")) ?
		  print_text(out, raw, value, t->swap) :
		  print_number(out, value, is_signed != 0, t->swap)))
		out->len = old;
}

void
probeargs(const struct trace_formats *t, const struct trace_format *f,
	  struct str raw, struct buf *out)
{
	struct str rest = f == NULL ? STR("") : f->text, line;

	if (str_search(rest, STR(" __probe_")) == NULL)
		return;
	while (rest.len > 0) {
		line = str_trim(str_cut(&rest, '\n'));
		if (str_starts(line, STR("field:")))
			print_field(t, line, raw, out);
	}
}
