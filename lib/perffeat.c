/* perffeat.c - what a perf.data file says of its machine and its making. */
#include "perffeat.h"

#include "buf.h"
#include "mem.h"

#include <stdlib.h>

/* A length, which counts the NULs of the padding, and the text. */
static struct str
read_text(struct cursor *c)
{
	return cursor_text(c, cursor_u32(c));
}

static struct str
keep_text(struct perf_features *f, struct cursor *c)
{
	return arena_str(&f->arena, read_text(c));
}

/* The words of the command line, joined by blanks. */
static void
read_cmdline(struct perf_features *f, struct cursor *c)
{
	struct buf line = { 0 };
	uint32_t i, n = cursor_u32(c);

	for (i = 0; i < n && !c->bad; i++) {
		if (i > 0)
			buf_char(&line, ' ');
		buf_str(&line, read_text(c));
	}
	f->cmdline = arena_str(&f->arena, buf_slice(&line));
	buf_free(&line);
}

/* Names of events, each for all of its ids. */
static void
read_events(struct cursor *c, struct perf_events *events)
{
	uint32_t i, n = cursor_u32(c), attr_size = cursor_u32(c), ids;
	struct str name;

	for (i = 0; i < n && !c->bad; i++) {
		cursor_bytes(c, attr_size);
		ids = cursor_u32(c);
		name = read_text(c);
		if (ids == 0 && i < events->n && !c->bad)
			perfattr_rename(events, i, name);
		for (; ids > 0 && !c->bad; ids--)
			perfattr_name(events, cursor_u64(c), name);
	}
}

void
perffeat_build_id(struct perf_features *f, const struct perf_record *r)
{
	unsigned mode = r->misc & PERF_MODE_MASK;

	if (r->build_id.len == 0)
		return;
	f->build_id = mem_grow(f->build_id, &f->build_id_cap, f->nbuild_ids + 1,
			       sizeof(*f->build_id));
	f->build_id[f->nbuild_ids++] =
	    (struct perf_build_id){ .path = arena_str(&f->arena, r->name),
				    .id = arena_str(&f->arena, r->build_id),
				    .kernel = mode == PERF_MODE_KERNEL };
}

/* Records as they stand in the data of a pipe, whatever their type says. */
static void
read_build_ids(struct perf_features *f, struct cursor *c)
{
	static const struct perf_events none;
	struct perf_space space = { 0 };
	struct perf_record r = { 0 };
	struct perf_header h;
	struct str body;

	while (cursor_left(c) > 0) {
		h = perfrecord_header(c);
		if (c->bad)
			return;
		body = cursor_bytes(c, h.size - PERF_HEADER_SIZE);
		h.type = PERF_HEADER_BUILD_ID;
		if (perfrecord_decode(&h, cursor_of(body, c->swap), &none,
				      &space, &r))
			perffeat_build_id(f, &r);
	}
}

bool
perffeat_read(struct perf_features *f, unsigned feature, struct cursor c,
	      struct perf_events *events)
{
	switch (feature) {
	case PERF_FEAT_TRACING_DATA:
		tracefmt_read(&f->formats,
			      (struct str){ c.p, cursor_left(&c) });
		break;
	case PERF_FEAT_BUILD_ID:
		read_build_ids(f, &c);
		break;
	case PERF_FEAT_HOSTNAME:
		f->hostname = keep_text(f, &c);
		break;
	case PERF_FEAT_OSRELEASE:
		f->osrelease = keep_text(f, &c);
		break;
	case PERF_FEAT_ARCH:
		f->arch = keep_text(f, &c);
		break;
	case PERF_FEAT_NRCPUS:
		cursor_u32(&c); /* available */
		f->cpus = cursor_u32(&c);
		break;
	case PERF_FEAT_CMDLINE:
		read_cmdline(f, &c);
		break;
	case PERF_FEAT_EVENT_DESC:
		read_events(&c, events);
		break;
	case PERF_FEAT_DIR_FORMAT:
		f->directory = true;
		break;
	default:
		break;
	}
	return !c.bad;
}

void
perffeat_threads(struct perf_features *f, struct cursor body)
{
	uint64_t n = cursor_u64(&body);
	int64_t id;

	for (; n > 0 && !body.bad; n--) {
		id = (int64_t)cursor_u64(&body);
		cursor_bytes(&body, 16); /* its name */
		if (body.bad)
			break;
		f->thread = mem_grow(f->thread, &f->thread_cap, f->nthreads + 1,
				     sizeof(*f->thread));
		f->thread[f->nthreads++] = id;
	}
}

void
perffeat_ticks(struct perf_features *f, struct cursor body)
{
	struct perf_ticks t = { .known = true };

	t.shift = cursor_u64(&body);
	t.mult = cursor_u64(&body);
	t.zero = cursor_u64(&body);
	if (!body.bad && t.shift < 32)
		f->ticks = t;
}

void
perffeat_free(struct perf_features *f)
{
	tracefmt_free(&f->formats);
	free(f->thread);
	free(f->build_id);
	arena_free(&f->arena);
	*f = (struct perf_features){ 0 };
}
