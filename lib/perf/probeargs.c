/* probeargs.c - arguments and variables that perf-probe(1) probes fetch. */
#include "perf/probeargs.h"

#include "base/cursor.h"
#include "base/mem.h"

#include <inttypes.h>
#include <stdlib.h>

/* The kernel's limit, MAX_TRACE_ARGS. */
#define MAX_FIELDS 128

struct probe_field {
	struct str name; /* in the format's text */
	uint64_t offset, size;
	bool is_signed, is_string;
};

struct probe {
	bool parsed;     /* its format was found */
	bool is_return;  /* of a function */
	size_t searched; /* number of formats, in the last search */
	struct probe_field *field;
	size_t n, cap;
};

struct probeargs {
	const struct trace_formats *formats;
	struct probe *probe; /* by event number */
	size_t cap;
};

struct probeargs *
probeargs_new(const struct trace_formats *formats)
{
	struct probeargs *a = mem_zero(1, sizeof(*a));

	a->formats = formats;
	return a;
}

void
probeargs_free(struct probeargs *a)
{
	size_t i;

	for (i = 0; i < a->cap; i++)
		free(a->probe[i].field);
	free(a->probe);
	free(a);
}

/* Formats. */

/* The number after "key:" in a line with "key:12;"; false if none. */
static bool
find_number(struct str line, struct str key, uint64_t *n)
{
	const char *at = str_search(line, key);
	struct str rest;

	if (at == NULL)
		return false;
	rest = str_range(at + key.len, line.p + line.len);
	return str_u64(str_cut(&rest, ';'), n);
}

/* A line of a format: "field:s32 id;  offset:16;  size:4;  signed:1;". */
static bool
read_field(struct str line, struct probe_field *f)
{
	struct str rest = str_skip(line, STR("field:").len);
	struct str type = str_cut(&rest, ';');
	const char *blank = memrchr(type.p, ' ', type.len);
	uint64_t is_signed = 0;

	if (blank == NULL || !find_number(rest, STR("offset:"), &f->offset) ||
	    !find_number(rest, STR("size:"), &f->size))
		return false;
	find_number(rest, STR("signed:"), &is_signed);
	f->is_signed = is_signed != 0;
	f->is_string = str_starts(type, STR("__data_loc char[]"));
	f->name = str_range(blank + 1, type.p + type.len);
	return !str_starts(f->name, STR("common_")) &&
	       !str_starts(f->name, STR("__probe_"));
}

static void
read_format(struct probe *p, const struct trace_format *format)
{
	struct str rest = format->text, line;
	struct probe_field f;

	p->is_return = tracefmt_field(format, STR("__probe_ret_ip")).size > 0;
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

/* The probe of an event.  In a pipe its format may come later. */
static const struct probe *
get_probe(struct probeargs *a, const struct perf_event *ev)
{
	const struct trace_format *format;
	const size_t old = a->cap;
	struct probe *probe;

	if (ev->number >= old) {
		a->probe = mem_grow(a->probe, &a->cap, (size_t)ev->number + 1,
				    sizeof(*probe));
		memset(a->probe + old, 0, (a->cap - old) * sizeof(*probe));
	}
	probe = &a->probe[ev->number];
	if (probe->parsed || probe->searched == a->formats->n)
		return probe;
	probe->searched = a->formats->n;
	format = tracefmt_find(a->formats, ev->config);
	probe->parsed = format != NULL;
	if (probe->parsed)
		read_format(probe, format);
	return probe;
}

/* Values. */

/* Bytes of the record; empty if it is too short. */
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

/* The field of a string has its length and its offset in the record. */
static bool
print_string(struct buf *out, struct str raw, struct str field, bool swap)
{
	struct cursor c = cursor_of(field, swap);
	uint32_t where = cursor_u32(&c);
	struct str string = bytes(raw, where & 0xffff, where >> 16);

	if (c.bad)
		return false;
	buf_char(out, '"');
	buf_str(out, str_cut(&string, '\0'));
	buf_char(out, '"');
	return true;
}

/* Appends nothing if the bytes lack the field. */
static void
print_field(const struct probe_field *f, struct str raw, bool swap,
	    struct buf *out)
{
	const struct str value = bytes(raw, f->offset, f->size);
	const size_t old = out->len;

	buf_str(out, old > 0 ? STR(" ") : STR(""));
	buf_str(out, f->name);
	buf_char(out, '=');
	if (!(f->is_string ? print_string(out, raw, value, swap) :
			     print_number(out, value, f->is_signed, swap)))
		out->len = old;
}

void
probeargs_print(struct probeargs *a, const struct perf_event *ev,
		struct str raw, struct buf *out)
{
	const struct probe *probe;
	size_t i;

	if (ev->type != PERF_TYPE_TRACEPOINT)
		return;
	probe = get_probe(a, ev);
	for (i = 0; i < probe->n; i++)
		print_field(&probe->field[i], raw, a->formats->swap, out);
}

bool
probeargs_is_return(struct probeargs *a, const struct perf_event *ev)
{
	return ev->type == PERF_TYPE_TRACEPOINT && get_probe(a, ev)->is_return;
}
