/* perffile.c - the file header of perf.data: where its sections are. */
#include "perfdata/perffile.h"

#include "io/spool.h"

/* Sizes of the two kinds of header, by which they differ. */
enum { PIPE_HEADER = 16, FILE_HEADER = 104 };

/* Larger sections are skipped. */
#define MAX_SECTION ((uint64_t)64 << 20)

struct perf_section {
	uint64_t offset, size;
};

/* The arguments of perffile_read(), and what it has read so far. */
struct perf_file_reader {
	struct input *in;
	struct perf_file *file;
	struct perf_events *events;
	struct perf_features *features;
	const char *loss;
	uint64_t ids; /* bytes of ids read */
};

/* The bytes of a section, or fewer if the file ends; valid until it moves. */
static struct str
read_section(struct perf_file_reader *fr, struct perf_section s)
{
	struct str bytes;

	if (s.size > MAX_SECTION || !input_seek(fr->in, s.offset))
		return STR("");
	bytes = input_bytes(fr->in, (size_t)s.size);
	if (bytes.len > s.size)
		bytes.len = (size_t)s.size;
	return bytes;
}

static struct perf_section
read_offset_size(struct cursor *c)
{
	struct perf_section s = { .offset = cursor_u64(c) };

	s.size = cursor_u64(c);
	return s;
}

/*
 * The ids of one event.  False if the ids of all events so far are larger than
 * the file: they overlap, and reading them all could take for ever.
 */
static bool
read_ids(struct perf_file_reader *fr, struct perf_section s,
	 struct perf_event *ev)
{
	const struct str bytes = read_section(fr, s);
	struct cursor c = cursor_of(bytes, fr->file->swap);

	fr->ids += bytes.len;
	if (fr->ids > fr->in->size)
		return false;
	while (cursor_left(&c) >= 8)
		perfattr_add_id(fr->events, cursor_u64(&c), ev);
	return true;
}

static bool
read_attrs(struct perf_file_reader *fr, struct perf_section attrs,
	   uint64_t attr_size)
{
	struct buf copy = { 0 };
	struct cursor c, attr;
	struct perf_section ids;
	struct perf_event *ev;
	bool good = true;

	if (attr_size < PERF_ATTR_MIN + sizeof(ids) || attr_size > 4096)
		return false;
	/* A copy, because reading the ids moves the bytes. */
	buf_str(&copy, read_section(fr, attrs));
	c = cursor_of(buf_slice(&copy), fr->file->swap);
	while (good && cursor_left(&c) >= attr_size) {
		attr = cursor_of(cursor_bytes(&c, attr_size - sizeof(ids)),
				 fr->file->swap);
		ids = read_offset_size(&c);
		ev = perfattr_add(fr->events, &attr);
		if (ev == NULL)
			break;
		good = read_ids(fr, ids, ev);
	}
	buf_free(&copy);
	return good && fr->events->n > 0;
}

/* The table of sections that follows the data: one for each bit. */
static void
read_features(struct perf_file_reader *fr, const uint64_t *bits)
{
	struct perf_section table = { fr->file->end, 0 };
	struct buf copy = { 0 };
	struct cursor c, body;
	struct perf_section s;
	unsigned i;
	struct str bytes;

	for (i = 0; i < PERF_FEATURES; i++)
		table.size += (bits[i / 64] >> i % 64 & 1) * sizeof(s);
	buf_str(&copy, read_section(fr, table));
	fr->file->last = table.offset + table.size;
	if (copy.len < table.size)
		fr->loss =
		    "the file is truncated: names and build-ids are lost";
	c = cursor_of(buf_slice(&copy), fr->file->swap);
	for (i = 0; i < PERF_FEATURES; i++) {
		if (!(bits[i / 64] >> i % 64 & 1))
			continue;
		s = read_offset_size(&c);
		if (c.bad)
			break;
		if (s.size < UINT64_MAX - s.offset &&
		    s.offset + s.size > fr->file->last)
			fr->file->last = s.offset + s.size;
		bytes = read_section(fr, s);
		body = cursor_of(bytes, fr->file->swap);
		perffeat_read(fr->features, i, body, fr->events);
	}
	buf_free(&copy);
}

static const char *
read_file(struct perf_file_reader *fr, struct cursor *c)
{
	uint64_t attr_size = cursor_u64(c), bits[PERF_FEATURES / 64];
	struct perf_section attrs = read_offset_size(c),
			    data = read_offset_size(c);

	read_offset_size(c); /* event types, obsolete */
	cursor_u64s(c, bits, PERF_FEATURES / 64);
	if (c->bad)
		return "truncated in its header";
	if (fr->in->size == 0)
		spool(fr->in);
	if (!read_attrs(fr, attrs, attr_size))
		return "its events are corrupt";
	fr->file->data = data.offset;
	fr->file->end = data.offset + data.size;
	if (data.size == 0 || fr->file->end < data.offset) {
		fr->loss = "perf record did not finish: names of events and "
			   "build-ids are lost";
		fr->file->end = UINT64_MAX;
	} else {
		read_features(fr, bits);
	}
	return NULL;
}

const char *
perffile_read(struct input *in, struct perf_file *file,
	      struct perf_events *events, struct perf_features *features,
	      const char **loss)
{
	struct perf_file_reader fr = { in, file, events, features, NULL, 0 };
	struct str bytes = input_bytes(in, FILE_HEADER);
	const char *why = NULL;
	struct cursor c;
	uint64_t size;

	*file = (struct perf_file){ .data = PIPE_HEADER, .end = UINT64_MAX };
	file->swap = str_starts(bytes, STR("2ELIFREP"));
	if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
		file->swap = !file->swap;
	if (bytes.len > FILE_HEADER)
		bytes.len = FILE_HEADER;
	c = cursor_of(bytes, file->swap);
	cursor_u64(&c); /* magic */
	size = cursor_u64(&c);
	if (size == FILE_HEADER)
		why = read_file(&fr, &c);
	else if (size == PIPE_HEADER)
		file->is_stream = true;
	else
		why = "unsupported version";
	*loss = fr.loss;
	return why;
}
