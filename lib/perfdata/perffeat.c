/* perffeat.c - the features of a perf.data file: machine, command, build-ids.
 */
#include "perfdata/perffeat.h"

#include "base/buf.h"
#include "base/table.h"

struct perf_build_id {
	struct str path, id; /* the id as bytes */
	UT_hash_handle hh;
};

/* A text after its length, which includes NULs of padding. */
static struct str
read_text(struct cursor *c)
{
	return cursor_text(c, cursor_u32(c));
}

static struct str
copy_text(struct perf_features *f, struct cursor *c)
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

/* The capabilities of a PMU: pairs of key and value. */
static void
read_caps(struct perf_features *f, struct cursor *c)
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

/* The same for several PMUs, of CPUs with different kinds of cores. */
static void
read_pmus(struct perf_features *f, struct cursor *c)
{
	uint32_t n = cursor_u32(c);

	for (; n > 0 && !c->bad; n--) {
		read_caps(f, c);
		read_text(c); /* name of the PMU */
	}
}

/* The name of each event, with its ids. */
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

static struct perf_build_id *
find_build_id(const struct perf_features *f, struct str path)
{
	struct perf_build_id *b;

	HASH_FIND(hh, f->build_ids, path.p, path.len, b);
	return b;
}

/* The first build-id of a file counts. */
static void
add_file_id(struct perf_features *f, const struct perf_record *r)
{
	struct perf_build_id *b;

	if (find_build_id(f, r->name) != NULL)
		return;
	b = arena_alloc(&f->arena, sizeof(*b));
	b->path = arena_str(&f->arena, r->name);
	b->id = arena_str(&f->arena, r->build_id);
	HASH_ADD_KEYPTR(hh, f->build_ids, b->path.p, b->path.len, b);
}

static void
add_build_id(struct perf_features *f, const struct perf_record *r)
{
	if (r->build_id.len == 0)
		return;
	if ((r->misc & PERF_RECORD_MISC_CPUMODE_MASK) !=
	    PERF_RECORD_MISC_KERNEL)
		add_file_id(f, r);
	else if (f->kernel_id.len == 0 && str_starts(r->name, STR("[kernel")))
		f->kernel_id = arena_str(&f->arena, r->build_id);
}

/* Decode a build-id record; its header need not have the right type. */
static void
read_build_id(struct perf_features *f, struct perf_header h, struct cursor body)
{
	struct perf_events none = { 0 };
	struct perf_space space = { 0 };
	struct perf_record r = { 0 };

	h.type = PERF_RECORD_HEADER_BUILD_ID;
	if (perfrecord_decode(&h, body, &none, &space, &r))
		add_build_id(f, &r);
}

/* The section of build-ids has records like those in a pipe. */
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
		f->hostname = copy_text(f, &c);
		break;
	case PERF_FEAT_OSRELEASE:
		f->osrelease = copy_text(f, &c);
		break;
	case PERF_FEAT_ARCH:
		f->arch = copy_text(f, &c);
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
		read_caps(f, &c);
		break;
	case PERF_FEAT_PMU_CAPS:
		read_pmus(f, &c);
		break;
	default:
		break;
	}
	return !c.bad;
}

/* PERF_RECORD_THREAD_MAP */
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

/* PERF_RECORD_TIME_CONV */
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
perffeat_add(struct perf_features *f, struct perf_events *events,
	     const struct perf_header *h, struct cursor body)
{
	uint64_t feature;

	switch (h->type) {
	case PERF_RECORD_HEADER_ATTR:
		return perfattr_read(events, body);
	case PERF_RECORD_EVENT_UPDATE:
		perfattr_update(events, body);
		break;
	case PERF_RECORD_HEADER_BUILD_ID:
		read_build_id(f, *h, body);
		break;
	case PERF_RECORD_THREAD_MAP:
		read_threads(f, body);
		break;
	case PERF_RECORD_TIME_CONV:
		read_ticks(f, body);
		break;
	case PERF_RECORD_HEADER_FEATURE:
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
	HASH_CLEAR(hh, f->build_ids);
	arena_free(&f->arena);
	*f = (struct perf_features){ 0 };
}

struct str
perffeat_build_id(const struct perf_features *f, struct str path)
{
	const struct perf_build_id *b = find_build_id(f, path);

	return b == NULL ? STR("") : b->id;
}
