/* probeargs.c - what a probe fetched as it was hit. */
#include "probeargs.h"

#include "cursor.h"
#include "mem.h"

#include <inttypes.h>
#include <stdlib.h>

/* The kernel lets a probe have no more. */
#define MAX_FIELDS 128

struct field {
	struct str name; /* in the format's text */
	uint64_t offset, size;
	bool is_signed, is_text;
};

/* What is known of an event: nothing, if no format was there so far. */
struct probe {
	bool known, returns;
	size_t formats; /* that were searched for it */
	struct field *field;
	size_t n, cap;
};

struct probeargs {
	const struct trace_formats *formats;
	struct probe *probe; /* by the numbers of events */
	size_t cap;
};

struct probeargs *
probeargs_new(const struct trace_formats *formats)
{
	struct probeargs *p = mem_zero(1, sizeof(*p));

	p->formats = formats;
	return p;
}

void
probeargs_free(struct probeargs *p)
{
	size_t i;

	for (i = 0; i < p->cap; i++)
		free(p->probe[i].field);
	free(p->probe);
	free(p);
}

/* Formats. */

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

/* The line "field:s32 id;  offset:16;  size:4;  signed:1;" of a format. */
static bool
read_field(struct str line, struct field *f)
{
	struct str rest = str_skip(line, STR("field:").len);
	struct str type = str_cut(&rest, ';');
	const char *blank = memrchr(type.p, ' ', type.len);
	uint64_t is_signed = 0;

	if (blank == NULL || !number(rest, STR("offset:"), &f->offset) ||
	    !number(rest, STR("size:"), &f->size))
		return false;
	number(rest, STR("signed:"), &is_signed);
	f->is_signed = is_signed != 0;
	f->is_text = str_starts(type, STR("__data_loc char[]"));
	f->name = str_range(blank + 1, type.p + type.len);
	return !str_starts(f->name, STR("common_")) &&
	       !str_starts(f->name, STR("__probe_"));
}

static void
read_format(struct probe *p, const struct trace_format *format)
{
	struct str rest = format->text, line;
	struct field f;

	p->returns = tracefmt_field(format, STR("__probe_ret_ip")).size > 0;
	if (str_search(rest, STR(" __probe_")) == NULL)
		return;
	while (rest.len > 0 && p->n < MAX_FIELDS) {
		line = str_trim(str_cut(&rest, '\n'));
		if (!str_starts(line, STR("field:")) || !read_field(line, &f))
			continue;
		p->field = mem_grow(p->field, &p->cap, p->n + 1, sizeof(f));
		p->field[p->n++] = f;
	}
}

/* In a pipe, formats may come later. */
static const struct probe *
probe_of(struct probeargs *p, const struct perf_event *ev)
{
	const struct trace_format *format;
	const size_t old = p->cap;
	struct probe *probe;

	if (ev->number >= old) {
		p->probe = mem_grow(p->probe, &p->cap, (size_t)ev->number + 1,
				    sizeof(*probe));
		memset(p->probe + old, 0, (p->cap - old) * sizeof(*probe));
	}
	probe = &p->probe[ev->number];
	if (probe->known || probe->formats == p->formats->n)
		return probe;
	probe->formats = p->formats->n;
	format = tracefmt_find(p->formats, ev->config);
	probe->known = format != NULL;
	if (probe->known)
		read_format(probe, format);
	return probe;
}

/* Bytes. */

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

/* Nothing if the bytes do not have it. */
static void
print_field(const struct field *f, struct str raw, bool swap, struct buf *out)
{
	const struct str value = bytes(raw, f->offset, f->size);
	const size_t old = out->len;

	buf_str(out, old > 0 ? STR(" ") : STR(""));
	buf_str(out, f->name);
	buf_char(out, '=');
	if (!(f->is_text ? print_text(out, raw, value, swap) :
			   print_number(out, value, f->is_signed, swap)))
		out->len = old;
}

void
probeargs_print(struct probeargs *p, const struct perf_event *ev,
		struct str raw, struct buf *out)
{
	const struct probe *probe;
	size_t i;

	if (ev->type != PERF_TYPE_TRACEPOINT)
		return;
	probe = probe_of(p, ev);
	for (i = 0; i < probe->n; i++)
		print_field(&probe->field[i], raw, p->formats->swap, out);
}

bool
probeargs_is_return(struct probeargs *p, const struct perf_event *ev)
{
	return ev->type == PERF_TYPE_TRACEPOINT && probe_of(p, ev)->returns;
}
