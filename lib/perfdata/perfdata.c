/* perfdata.c - reads the records of perf.data, from a file or a pipe. */
#include "perfdata/perfdata.h"

#include "base/mem.h"
#include "io/follow.h"
#include "perfdata/perffile.h"
#include "perfdata/perfgroup.h"
#include "perfdata/perforder.h"
#include "perfdata/perfrounds.h"
#include "perfdata/perfzstd.h"

#include <stdlib.h>
#include <unistd.h>

/* Milliseconds without data until a followed perf has emptied its buffers. */
#define QUIET 200

/* Offset of the chain in most samples, and how much of it to prefetch. */
#define CHAIN ((size_t)PERF_HEADER_SIZE + 5 * sizeof(uint64_t))
#define AHEAD ((size_t)64)

/* Larger formats of tracepoints are skipped. */
#define MAX_FORMATS ((uint64_t)64 << 20)

/* Bytes between cuts: some hundred microseconds of work; and before the first.
 */
#define PART ((uint64_t)1 << 20)
#define FIRST_PART ((uint64_t)1 << 15)

#define CUT_OFF "the data is truncated"
#define ANOTHER "skipped another recording in the same input: name each file"

struct perfdata {
	struct input *main; /* the file with the header */
	struct input *in;   /* main or part */
	struct input part;  /* a data file of perf record --threads */
	unsigned parts;     /* opened in this pass */
	struct perf_file file;
	bool sorted;
	enum perf_want want;
	bool ended;  /* the rest of the input is of no use */
	bool second; /* pass: faults have been reported */
	unsigned passes;
	uint64_t at;      /* offset of the next record */
	uint64_t end;     /* offset after the last record */
	uint64_t records; /* read so far */
	uint64_t newest;  /* time */
	bool has_traces;  /* of CPUs */
	struct perf_events events;
	struct perf_features features;
	struct perf_space space;
	struct perf_order order;
	struct perf_rounds rounds;
	struct perf_group group;
	struct perf_zstd zstd;
	bool compressed; /* some records were */
	struct perf_cut *cuts;
	size_t ncuts, cuts_cap;
};

bool
perfdata_magic(struct str bytes)
{
	return str_starts(bytes, STR("PERFILE2")) ||
	       str_starts(bytes, STR("2ELIFREP"));
}

static void
complain(struct perfdata *p, const char *what)
{
	p->in->line = p->records;
	p->in->tally->bad_unit = "record";
	input_bad(p->in, "%s", what);
}

/* Complain about something that the first and the second pass find. */
static void
bad(struct perfdata *p, const char *what)
{
	if (!p->second)
		complain(p, what);
}

struct perfdata *
perfdata_open(struct input *in, const char **why)
{
	struct perfdata *p = mem_zero(1, sizeof(*p));
	const char *loss;

	p->main = p->in = in;
	input_map(in);
	*why = perffile_read(in, &p->file, &p->events, &p->features, &loss);
	if (*why != NULL) {
		perfdata_close(p);
		return NULL;
	}
	if (loss != NULL)
		bad(p, loss);
	if (p->file.last > 0 && input_seek(in, p->file.last) &&
	    perfdata_magic(input_bytes(in, 8)))
		bad(p, ANOTHER);
	return p;
}

/* perf record --threads writes the records of each thread to its own file. */
static void
close_part(struct perfdata *p)
{
	if (p->in == &p->part)
		input_close(&p->part);
	p->in = p->main;
}

void
perfdata_close(struct perfdata *p)
{
	close_part(p);
	perfattr_free(&p->events);
	perffeat_free(&p->features);
	perfrecord_free(&p->space);
	perforder_free(&p->order);
	perfgroup_free(&p->group);
	perfzstd_free(&p->zstd);
	free(p->cuts);
	free(p);
}

bool
perfdata_can_rewind(const struct perfdata *p)
{
	return p->in->size > 0;
}

/* A stream has no size in its header: the first pass finds the end. */
static void
set_end(struct perfdata *p)
{
	p->file.end = p->at;
	if (p->ncuts > 0)
		p->cuts[p->ncuts].at = p->at;
}

void
perfdata_pass(struct perfdata *p, enum perf_want want, bool sorted)
{
	p->second = p->passes++ > 0;
	if (p->second && p->end == UINT64_MAX && p->parts == 0)
		set_end(p);
	p->want = want;
	p->sorted = sorted;
	close_part(p);
	p->parts = 0;
	p->end = p->file.end;
	p->ended = !input_seek(p->in, p->file.data);
	p->at = p->file.data;
	p->records = p->newest = 0;
	p->rounds = (struct perf_rounds){ 0 };
	perfzstd_begin(&p->zstd);
	perforder_free(&p->order);
	perfgroup_free(&p->group);
}

size_t
perfdata_buffered(const struct perfdata *p)
{
	return p->order.most;
}

bool
perfdata_has_traces(const struct perfdata *p)
{
	return p->has_traces;
}

const struct perf_features *
perfdata_features(const struct perfdata *p)
{
	return &p->features;
}

const struct perf_events *
perfdata_events(const struct perfdata *p)
{
	return &p->events;
}

/* Records. */

struct raw_record {
	struct perf_header header;
	struct str record; /* header and body */
	bool compressed;   /* it was in a compressed record */
};

/* False if the record has no size. */
static bool
read_header(const struct perfdata *p, struct str record, struct raw_record *raw)
{
	struct cursor c = cursor_of(record, p->file.swap);

	raw->header = perfrecord_header(&c);
	raw->record = record;
	return !c.bad;
}

static struct cursor
body_of(const struct perfdata *p, const struct raw_record *raw)
{
	return cursor_of(str_skip(raw->record, PERF_HEADER_SIZE), p->file.swap);
}

static bool
stop(struct perfdata *p, const char *why)
{
	p->ended = true;
	bad(p, why);
	return false;
}

/* Skip bytes that follow a record and do not count in its size. */
static void
skip(struct perfdata *p, uint64_t size)
{
	if (size == 0)
		return;
	/* Read the last of them: the input may end after it. */
	if (size > p->end - p->at || !input_seek(p->in, p->at + size - 1) ||
	    input_bytes(p->in, 1).len == 0) {
		stop(p, CUT_OFF);
		return;
	}
	input_take(p->in, 1);
	p->at += size;
}

/* Continue with the next data file of the folder; false if none. */
static bool
next_part(struct perfdata *p)
{
	struct buf path = { 0 };
	bool exists;

	if (!p->features.directory)
		return false;
	if (p->main->folder == NULL)
		return !p->ended && stop(p, "the samples are in other files: "
					    "name their directory");
	close_part(p);
	buf_printf(&path, "%s/data.%u", p->main->folder, p->parts++);
	buf_char(&path, '\0');
	exists = access(path.p, F_OK) == 0;
	p->ended = !exists;
	if (exists) {
		input_open(&p->part, path.p, p->main->tally);
		p->in = &p->part;
		input_map(p->in);
		p->at = 0;
		p->end = UINT64_MAX;
		perfzstd_begin(&p->zstd);
	}
	buf_free(&path);
	return exists;
}

/* In the first pass, note where parts can begin. */
static void
add_cut(struct perfdata *p)
{
	const uint64_t part = p->ncuts == 1 ? FIRST_PART : PART;

	if (p->second ||
	    (p->ncuts > 0 && p->at < p->cuts[p->ncuts - 1].at + part))
		return;
	p->cuts = mem_grow(p->cuts, &p->cuts_cap, p->ncuts + 2,
			   sizeof(*p->cuts));
	p->cuts[p->ncuts++] = (struct perf_cut){ p->at, p->records };
	p->cuts[p->ncuts] = (struct perf_cut){ p->end, 0 };
}

/* The next record of the current file; false at its end. */
static bool
next_of_file(struct perfdata *p, struct raw_record *raw)
{
	struct str bytes;

	if (p->ended || p->at >= p->end)
		return false;
	add_cut(p);
	bytes = input_bytes(p->in, PERF_HEADER_SIZE);
	if (bytes.len == 0 && p->end == UINT64_MAX)
		return false;
	if (bytes.len < PERF_HEADER_SIZE)
		return stop(p, CUT_OFF);
	if (perfdata_magic(bytes)) /* from "cat" of two pipes' recordings */
		return stop(p, ANOTHER);
	if (!read_header(p, bytes, raw))
		return stop(p, "a record without a size: skipping the rest");
	if (bytes.len < raw->header.size)
		bytes = input_bytes(p->in, raw->header.size);
	if (bytes.len < raw->header.size || raw->header.size > p->end - p->at)
		return stop(p, CUT_OFF);
	raw->record = (struct str){ bytes.p, raw->header.size };
	raw->compressed = false;
	input_take(p->in, raw->header.size);
	p->at += raw->header.size;
	return true;
}

static bool
next_plain(struct perfdata *p, struct raw_record *raw)
{
	while (!next_of_file(p, raw)) {
		if (perfzstd_left(&p->zstd).len > 0 && !p->ended)
			stop(p, CUT_OFF);
		if (p->file.is_stream && !p->ended &&
		    perfrounds_cut(&p->rounds, &p->events))
			bad(p, "the stream may be truncated: no end of a round "
			       "after the last samples");
		if (!next_part(p))
			return false;
	}
	return true;
}

/* The next whole decompressed record; false if there is none. */
static bool
next_decompressed(struct perfdata *p, struct raw_record *raw)
{
	struct str bytes = perfzstd_left(&p->zstd);

	if (bytes.len < PERF_HEADER_SIZE)
		return false;
	if (!read_header(p, bytes, raw)) {
		bad(p, "a compressed record without a size");
		perfzstd_drop(&p->zstd);
		return false;
	}
	if (bytes.len < raw->header.size)
		return false;
	raw->record = (struct str){ bytes.p, raw->header.size };
	raw->compressed = true;
	return perfzstd_take(&p->zstd, &raw->header) ||
	       stop(p, "implausible compression ratio: skipping the rest");
}

static void
decompress_record(struct perfdata *p, struct cursor body, bool sized)
{
	struct str data;

	data = cursor_bytes(&body,
			    sized ? cursor_u64(&body) : cursor_left(&body));
	if (body.bad || !perfzstd_add(&p->zstd, data))
		bad(p, "a compressed record is corrupt");
}

/* The formats of tracepoints follow their record. */
static void
read_formats(struct perfdata *p, uint64_t size)
{
	struct str bytes;

	if (p->second || size > MAX_FORMATS)
		return;
	bytes = input_bytes(p->in, (size_t)size);
	if (bytes.len > size)
		bytes.len = (size_t)size;
	tracefmt_read(&p->features.formats, bytes);
}

/*
 * Records that perf never compresses.  Their data follows them in the file, not
 * among the decompressed bytes.
 */
static bool
is_never_compressed(uint32_t type)
{
	return type == PERF_RECORD_COMPRESSED ||
	       type == PERF_RECORD_COMPRESSED2 ||
	       type == PERF_RECORD_HEADER_TRACING_DATA ||
	       type == PERF_RECORD_AUXTRACE;
}

/* A record of perf, not of the kernel. */
static void
add_perf_record(struct perfdata *p, const struct perf_header *h,
		struct cursor body)
{
	uint64_t size;

	switch (h->type) {
	case PERF_RECORD_COMPRESSED:
	case PERF_RECORD_COMPRESSED2:
		p->compressed = true;
		decompress_record(p, body, h->type == PERF_RECORD_COMPRESSED2);
		break;
	case PERF_RECORD_HEADER_TRACING_DATA:
		size = cursor_u32(&body);
		read_formats(p, size);
		skip(p, (size + 7) & ~(uint64_t)7);
		break;
	case PERF_RECORD_AUXTRACE:
		p->has_traces = true;
		skip(p, cursor_u64(&body));
		break;
	case PERF_RECORD_FINISHED_ROUND:
		perfrounds_add(&p->rounds, p->newest);
		/* Rounds of the main file do not apply to data files. */
		if (p->sorted && !p->features.directory)
			perforder_round(&p->order);
		break;
	default:
		break;
	}
	if (!p->second && !perffeat_add(&p->features, &p->events, h, body))
		bad(p, "an event is corrupt");
}

static bool
is_wanted(const struct perfdata *p, uint32_t type)
{
	return p->want == PERF_WANT_ALL ||
	       (p->want == PERF_WANT_SAMPLES) == perfabi_is_sample(type);
}

/* The next wanted record, in the order of the file. */
static bool
next_raw(struct perfdata *p, struct raw_record *raw)
{
	while (next_decompressed(p, raw) || next_plain(p, raw)) {
		p->records++;
		if (raw->header.type < PERF_RECORD_USER_TYPE_START) {
			p->rounds.samples |= perfabi_is_sample(
			    raw->header.type);
			if (is_wanted(p, raw->header.type))
				return true;
			continue;
		}
		if (raw->compressed && is_never_compressed(raw->header.type))
			bad(p, "a compressed record has a record type that "
			       "perf never compresses");
		else
			add_perf_record(p, &raw->header, body_of(p, raw));
		if (p->order.next < p->order.ready)
			return false;
	}
	return false;
}

static bool
decode(struct perfdata *p, const struct raw_record *raw, struct perf_record *r)
{
	const char *why;

	if (!perfrecord_decode(&raw->header, body_of(p, raw), &p->events,
			       &p->space, r)) {
		why = raw->header.type == PERF_RECORD_SAMPLE &&
			      p->events.n == 0 ?
			  "a sample before any event" :
			  "a record is too short";
		/* Only the pass that wants samples decodes them. */
		if (perfabi_is_sample(raw->header.type))
			complain(p, why);
		else
			bad(p, why);
		return false;
	}
	if (r->has_time && r->time > p->newest)
		p->newest = r->time;
	return true;
}

/* A record without a time keeps its place among those around it. */
static uint64_t
sort_time(const struct perfdata *p, const struct perf_record *r)
{
	return r->has_time ? r->time : p->newest;
}

static bool
next_sorted(struct perfdata *p, struct perf_record *r)
{
	struct str record;
	struct raw_record raw;
	uint64_t number;

	for (;;) {
		if (perforder_next(&p->order, &number, &record)) {
			if (!read_header(p, record, &raw) ||
			    !decode(p, &raw, r))
				continue;
			r->number = number;
			return true;
		}
		/* A quiet perf has no older records left in its buffers. */
		if (p->order.next < p->order.n &&
		    follow_is_quiet(p->in, QUIET)) {
			perforder_end(&p->order);
		} else if (next_raw(p, &raw)) {
			if (decode(p, &raw, r))
				perforder_add(&p->order, sort_time(p, r),
					      p->records, raw.record);
		} else if (p->order.next == p->order.ready) {
			perforder_end(&p->order);
			if (p->order.next == p->order.ready)
				return false;
		}
	}
}

static bool
next_record(struct perfdata *p, struct perf_record *r)
{
	struct raw_record raw;

	if (p->sorted)
		return next_sorted(p, r);
	while (next_raw(p, &raw)) {
		if (decode(p, &raw, r)) {
			r->number = p->records;
			return true;
		}
	}
	return false;
}

bool
perfdata_next(struct perfdata *p, struct perf_record *r)
{
	while (!perfgroup_next(&p->group, &p->events, r)) {
		if (!next_record(p, r))
			return false;
		if (r->readings.len == 0)
			return true;
		perfgroup_begin(&p->group, r, p->file.swap);
	}
	return true;
}

struct str
perfdata_ahead(const struct perfdata *p)
{
	struct str next = input_buffered(p->in);

	if (perfzstd_left(&p->zstd).len > 0)
		next = perfzstd_left(&p->zstd);
	if (p->sorted || next.len < CHAIN + AHEAD)
		return STR("");
	return (struct str){ next.p + CHAIN, AHEAD };
}

/* Parts. */

const struct perf_cut *
perfdata_cuts(const struct perfdata *p, size_t *n)
{
	*n = p->ncuts + 1;
	return p->main->mapped && !p->compressed && !p->features.directory &&
		       p->ncuts > 0 && p->file.end <= p->main->size &&
		       !perfattr_need_order(&p->events) ?
		   p->cuts :
		   NULL;
}

/* The events' only cache is the pointer to the last one. */
struct perfdata *
perfdata_fork(const struct perfdata *p, struct tally *tally)
{
	struct perfdata *fork = mem_zero(1, sizeof(*fork));

	fork->main = fork->in = &fork->part;
	input_part(&fork->part, p->main, 0, p->main->size, tally);
	fork->file = p->file;
	fork->events = p->events;
	fork->features = p->features;
	return fork;
}

void
perfdata_fork_free(struct perfdata *fork)
{
	input_close(&fork->part);
	perfrecord_free(&fork->space);
	perforder_free(&fork->order);
	perfgroup_free(&fork->group);
	perfzstd_free(&fork->zstd);
	free(fork);
}

void
perfdata_part(struct perfdata *p, const struct perf_cut *from,
	      const struct perf_cut *to)
{
	p->want = PERF_WANT_SAMPLES;
	p->sorted = false;
	p->second = true;
	p->ended = !input_seek(p->in, from->at);
	p->at = from->at;
	p->records = from->number;
	p->end = to->at;
}
