/* perffeat.c - what a perf.data file says of its machine and its making. */
#include "perffeat.h"

#include "buf.h"
#include "mem.h"

#include <stdlib.h>

/* The last build-id is of a file. */
static void
enter_path(struct perf_features *f, struct str path)
{
	uint32_t number, n;

	if (f->paths == NULL)
		f->paths = intern_new();
	n = intern_size(f->paths);
	number = intern_id(f->paths, path);
	if (number < n)
		return;
	f->first = mem_grow(f->first, &f->first_cap, (size_t)n + 1,
			    sizeof(*f->first));
	f->first[n] = f->nbuild_ids - 1;
}

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

/* What a unit that counts events is able to: keys and values as texts. */
static void
read_abilities(struct perf_features *f, struct cursor *c)
{
	uint32_t n = cursor_u32(c);
	struct str key, value;
	uint64_t branches;

	for (; n > 0 && !c->bad; n--) {
		key = read_text(c);
		value = read_text(c);
		if (str_eq(key, STR("branches")) && str_u64(value, &branches))
			f->branches = branches;
	}
}

/* The same of several units, of CPUs with cores that differ. */
static void
read_units(struct perf_features *f, struct cursor *c)
{
	uint32_t n = cursor_u32(c);

	for (; n > 0 && !c->bad; n--) {
		read_abilities(f, c);
		read_text(c); /* the unit's name */
	}
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
		perfattr_name_ids(events, c, ids, name);
	}
}

static void
keep_build_id(struct perf_features *f, const struct perf_record *r)
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
	if (mode != PERF_MODE_KERNEL)
		enter_path(f, r->name);
}

/* A record, whatever its type says. */
static void
read_build_id(struct perf_features *f, struct perf_header h, struct cursor body)
{
	static const struct perf_events none;
	struct perf_space space = { 0 };
	struct perf_record r = { 0 };

	h.type = PERF_HEADER_BUILD_ID;
	if (perfrecord_decode(&h, body, &none, &space, &r))
		keep_build_id(f, &r);
}

/* Records as they stand in the data of a pipe. */
static void
read_build_ids(struct perf_features *f, struct cursor *c)
{
	struct perf_header h;
	struct str body;

	while (cursor_left(c) > 0) {
		h = perfrecord_header(c);
		if (c->bad)
			return;
		body = cursor_bytes(c, h.size - PERF_HEADER_SIZE);
		read_build_id(f, h, cursor_of(body, c->swap));
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
	case PERF_FEAT_CPU_CAPS:
		read_abilities(f, &c);
		break;
	case PERF_FEAT_PMU_CAPS:
		read_units(f, &c);
		break;
	default:
		break;
	}
	return !c.bad;
}

/* PERF_THREAD_MAP */
static void
read_threads(struct perf_features *f, struct cursor body)
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

/* PERF_TIME_CONV */
static void
read_ticks(struct perf_features *f, struct cursor body)
{
	struct perf_ticks t = { .known = true };

	t.shift = cursor_u64(&body);
	t.mult = cursor_u64(&body);
	t.zero = cursor_u64(&body);
	if (!body.bad && t.shift < 32)
		f->ticks = t;
}

bool
perffeat_take(struct perf_features *f, struct perf_events *events,
	      const struct perf_header *h, struct cursor body)
{
	uint64_t feature;

	switch (h->type) {
	case PERF_HEADER_ATTR:
		return perfattr_announce(events, body);
	case PERF_EVENT_UPDATE:
		perfattr_update(events, body);
		break;
	case PERF_HEADER_BUILD_ID:
		read_build_id(f, *h, body);
		break;
	case PERF_THREAD_MAP:
		read_threads(f, body);
		break;
	case PERF_TIME_CONV:
		read_ticks(f, body);
		break;
	case PERF_HEADER_FEATURE:
		feature = cursor_u64(&body);
		if (feature < PERF_FEATURES)
			perffeat_read(f, (unsigned)feature, body, events);
		break;
	default:
		break;
	}
	return true;
}

void
perffeat_free(struct perf_features *f)
{
	tracefmt_free(&f->formats);
	free(f->thread);
	free(f->build_id);
	intern_free(f->paths);
	free(f->first);
	arena_free(&f->arena);
	*f = (struct perf_features){ 0 };
}

struct str
perffeat_id_of(const struct perf_features *f, struct str path)
{
	uint32_t number;

	return f->paths != NULL && intern_find(f->paths, path, &number) ?
		   f->build_id[f->first[number]].id :
		   STR("");
}
