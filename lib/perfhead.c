/* perfhead.c - the head of a perf.data file: where things are in it. */
#include "perfhead.h"

#include "spool.h"

/* Sizes of the two headers, which tell file and pipe apart. */
enum { PIPE_HEADER = 16, FILE_HEADER = 104 };

/* A section of a feature that is larger is not looked at. */
#define MAX_SECTION ((uint64_t)64 << 20)

struct section {
	uint64_t offset, size;
};

/* What is being filled. */
struct reading {
	struct input *in;
	struct perf_head *head;
	struct perf_events *events;
	struct perf_features *features;
	const char *loss;
	uint64_t ids; /* bytes of them that were read */
};

/* All bytes of a section, or fewer if the file ends; valid until moved. */
static struct str
read_section(struct reading *p, struct section s)
{
	struct str bytes;

	if (s.size > MAX_SECTION || !input_seek(p->in, s.offset))
		return STR("");
	bytes = input_bytes(p->in, (size_t)s.size);
	if (bytes.len > s.size)
		bytes.len = (size_t)s.size;
	return bytes;
}

static struct section
take_section(struct cursor *c)
{
	struct section s = { .offset = cursor_u64(c) };

	s.size = cursor_u64(c);
	return s;
}

/*
 * The ids of one event.  False if all that were read so far do not fit into
 * the file: events that share theirs would be read for ever.
 */
static bool
read_ids(struct reading *p, struct section s, size_t event)
{
	const struct str bytes = read_section(p, s);
	struct cursor c = cursor_of(bytes, p->head->swap);

	p->ids += bytes.len;
	if (p->ids > p->in->size)
		return false;
	while (cursor_left(&c) >= 8)
		perfattr_id(p->events, cursor_u64(&c), event);
	return true;
}

static bool
read_attrs(struct reading *p, struct section attrs, uint64_t attr_size)
{
	struct buf copy = { 0 };
	struct cursor c, attr;
	struct section ids;
	bool good = true;

	if (attr_size < PERF_ATTR_MIN + sizeof(ids) || attr_size > 4096)
		return false;
	/* Reading the ids moves the bytes away. */
	buf_str(&copy, read_section(p, attrs));
	c = cursor_of(buf_slice(&copy), p->head->swap);
	while (good && cursor_left(&c) >= attr_size) {
		attr = cursor_of(cursor_bytes(&c, attr_size - sizeof(ids)),
				 p->head->swap);
		ids = take_section(&c);
		if (perfattr_add(p->events, &attr) == NULL)
			break;
		good = read_ids(p, ids, p->events->n - 1);
	}
	buf_free(&copy);
	return good && p->events->n > 0;
}

/* The table of sections behind the data, one for each bit. */
static void
read_features(struct reading *p, const uint64_t *bits)
{
	struct section table = { p->head->end, 0 };
	struct buf copy = { 0 };
	struct cursor c, body;
	struct section s;
	unsigned i;
	struct str bytes;

	for (i = 0; i < PERF_FEATURES; i++)
		table.size += (bits[i / 64] >> i % 64 & 1) * sizeof(s);
	buf_str(&copy, read_section(p, table));
	p->head->last = table.offset + table.size;
	if (copy.len < table.size)
		p->loss = "the file is cut off: names and build-ids are lost";
	c = cursor_of(buf_slice(&copy), p->head->swap);
	for (i = 0; i < PERF_FEATURES; i++) {
		if (!(bits[i / 64] >> i % 64 & 1))
			continue;
		s = take_section(&c);
		if (c.bad)
			break;
		if (s.size < UINT64_MAX - s.offset &&
		    s.offset + s.size > p->head->last)
			p->head->last = s.offset + s.size;
		bytes = read_section(p, s);
		body = cursor_of(bytes, p->head->swap);
		perffeat_read(p->features, i, body, p->events);
	}
	buf_free(&copy);
}

static const char *
read_file(struct reading *p, struct cursor *c)
{
	uint64_t attr_size = cursor_u64(c), bits[PERF_FEATURES / 64];
	struct section attrs = take_section(c), data = take_section(c);

	take_section(c); /* event types, of old */
	cursor_u64s(c, bits, PERF_FEATURES / 64);
	if (c->bad)
		return "cut off in its header";
	if (p->in->size == 0)
		spool(p->in);
	if (!read_attrs(p, attrs, attr_size))
		return "its events are spoilt";
	p->head->data = data.offset;
	p->head->end = data.offset + data.size;
	if (data.size == 0 || p->head->end < data.offset) {
		p->loss = "perf record did not finish: names of events and "
			  "build-ids are lost";
		p->head->end = UINT64_MAX;
	} else {
		read_features(p, bits);
	}
	return NULL;
}

const char *
perfhead_read(struct input *in, struct perf_head *head,
	      struct perf_events *events, struct perf_features *features,
	      const char **loss)
{
	struct reading reading = { in, head, events, features, NULL, 0 };
	struct str bytes = input_bytes(in, FILE_HEADER);
	const char *why = NULL;
	struct cursor c;
	uint64_t size;

	*head = (struct perf_head){ .data = PIPE_HEADER, .end = UINT64_MAX };
	head->swap = str_starts(bytes, STR("2ELIFREP"));
	if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
		head->swap = !head->swap;
	if (bytes.len > FILE_HEADER)
		bytes.len = FILE_HEADER;
	c = cursor_of(bytes, head->swap);
	cursor_u64(&c); /* magic */
	size = cursor_u64(&c);
	if (size == FILE_HEADER)
		why = read_file(&reading, &c);
	else if (size != PIPE_HEADER)
		why = "of a version that is not known";
	*loss = reading.loss;
	return why;
}
