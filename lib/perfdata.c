/* perfdata.c - the container of perf record: perf.data as file and pipe. */
#include "perfdata.h"

#include "follow.h"
#include "mem.h"
#include "perfgroup.h"
#include "perfhead.h"
#include "perforder.h"
#include "perfpacked.h"

#include <err.h>
#include <stdlib.h>
#include <unistd.h>

#define QUIET 200 /* ms for which perf, if followed, has nothing to write */

/* Where a chain begins in most samples, and how much of it is looked at. */
#define CHAIN ((size_t)PERF_HEADER_SIZE + 5 * sizeof(uint64_t))
#define AHEAD ((size_t)64)

/* Formats that are larger are not looked at. */
#define MAX_FORMATS ((uint64_t)64 << 20)

#define CUT_OFF "the data is cut off"
#define ANOTHER "another recording follows, not read: name each file"

struct perfdata {
	struct input *main; /* the file with the header */
	struct input *in;   /* that, or a part */
	struct input part;  /* one of the files beside it, if open */
	unsigned parts;     /* how many were opened in this pass */
	struct perf_head head;
	bool sort; /* order by time */
	enum perf_want want;
	bool ended;  /* no more bytes of any use */
	bool second; /* read again: what is wrong was said */
	unsigned passes;
	uint64_t at;      /* offset of the next record */
	uint64_t end;     /* of the last */
	uint64_t records; /* number of the last */
	uint64_t newest;  /* time seen */
	bool traces;      /* of CPUs were seen */
	struct perf_events events;
	struct perf_features features;
	struct perf_space space;
	struct perf_order order;
	struct perf_group group;
	struct perf_packed packed;
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

/* The same, of what a second pass would find again. */
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
	*why = perfhead_read(in, &p->head, &p->events, &p->features, &loss);
	if (*why != NULL) {
		perfdata_close(p);
		return NULL;
	}
	if (loss != NULL)
		bad(p, loss);
	if (p->head.last > 0 && input_seek(in, p->head.last) &&
	    perfdata_magic(input_bytes(in, 8)))
		bad(p, ANOTHER);
	return p;
}

/* perf record --threads: each thread's records are in a file of its own. */
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
	perfpacked_free(&p->packed);
	free(p);
}

bool
perfdata_can_rewind(const struct perfdata *p)
{
	return p->in->size > 0;
}

void
perfdata_pass(struct perfdata *p, enum perf_want want, bool sorted)
{
	p->second = p->passes++ > 0;
	p->want = want;
	p->sort = sorted;
	close_part(p);
	p->parts = 0;
	p->end = p->head.end;
	p->ended = !input_seek(p->in, p->head.data);
	p->at = p->head.data;
	p->records = p->newest = 0;
	perfpacked_begin(&p->packed);
	perforder_free(&p->order);
	perfgroup_free(&p->group);
}

size_t
perfdata_held(const struct perfdata *p)
{
	return p->order.most;
}

bool
perfdata_has_traces(const struct perfdata *p)
{
	return p->traces;
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

/* As it stands in the data, and its header. */
struct raw {
	struct perf_header head;
	struct str record;
	bool packed; /* it came out of a compressed one */
};

/* False if no size is in it. */
static bool
read_header(const struct perfdata *p, struct str record, struct raw *raw)
{
	struct cursor c = cursor_of(record, p->head.swap);

	raw->head = perfrecord_header(&c);
	raw->record = record;
	return !c.bad;
}

static struct cursor
body_of(const struct perfdata *p, const struct raw *raw)
{
	return cursor_of(str_skip(raw->record, PERF_HEADER_SIZE), p->head.swap);
}

static bool
stop(struct perfdata *p, const char *why)
{
	p->ended = true;
	bad(p, why);
	return false;
}

/* Skip bytes that follow a record and are not of its size. */
static void
skip(struct perfdata *p, uint64_t size)
{
	if (size == 0)
		return;
	/* Of the last of them, as the input may end behind it. */
	if (size > p->end - p->at || !input_seek(p->in, p->at + size - 1) ||
	    input_bytes(p->in, 1).len == 0) {
		stop(p, CUT_OFF);
		return;
	}
	input_take(p->in, 1);
	p->at += size;
}

/* Go on with the next of the files beside the main one; false if none. */
static bool
next_part(struct perfdata *p)
{
	struct buf path = { 0 };
	bool there;

	if (!p->features.directory)
		return false;
	if (p->main->folder == NULL)
		return !p->ended &&
		       stop(p, "the samples are in files beside it: name "
			       "their folder");
	close_part(p);
	buf_printf(&path, "%s/data.%u", p->main->folder, p->parts++);
	buf_char(&path, '\0');
	there = access(path.p, F_OK) == 0;
	p->ended = !there;
	if (there) {
		input_open(&p->part, path.p, p->main->tally);
		p->in = &p->part;
		input_map(p->in);
		p->at = 0;
		p->end = UINT64_MAX;
		perfpacked_begin(&p->packed);
	}
	buf_free(&path);
	return there;
}

/* The next record as it stands in the file; false at its end. */
static bool
next_of_file(struct perfdata *p, struct raw *raw)
{
	struct str bytes;

	if (p->ended || p->at >= p->end)
		return false;
	bytes = input_bytes(p->in, PERF_HEADER_SIZE);
	if (bytes.len == 0 && p->end == UINT64_MAX)
		return false;
	if (bytes.len < PERF_HEADER_SIZE)
		return stop(p, CUT_OFF);
	if (perfdata_magic(bytes)) /* what "cat" makes of two of pipes */
		return stop(p, ANOTHER);
	if (!read_header(p, bytes, raw))
		return stop(p, "a record without a size: the rest is not read");
	if (bytes.len < raw->head.size)
		bytes = input_bytes(p->in, raw->head.size);
	if (bytes.len < raw->head.size || raw->head.size > p->end - p->at)
		return stop(p, CUT_OFF);
	raw->record = (struct str){ bytes.p, raw->head.size };
	raw->packed = false;
	input_take(p->in, raw->head.size);
	p->at += raw->head.size;
	return true;
}

static bool
next_plain(struct perfdata *p, struct raw *raw)
{
	while (!next_of_file(p, raw)) {
		if (perfpacked_left(&p->packed).len > 0 && !p->ended)
			stop(p, CUT_OFF);
		if (!next_part(p))
			return false;
	}
	return true;
}

/* The next record of what was inflated; false if there is no whole one. */
static bool
next_inflated(struct perfdata *p, struct raw *raw)
{
	struct str bytes = perfpacked_left(&p->packed);

	if (bytes.len < PERF_HEADER_SIZE)
		return false;
	if (!read_header(p, bytes, raw)) {
		bad(p, "a compressed record without a size");
		perfpacked_drop(&p->packed);
		return false;
	}
	if (bytes.len < raw->head.size)
		return false;
	raw->record = (struct str){ bytes.p, raw->head.size };
	raw->packed = true;
	return perfpacked_take(&p->packed, &raw->head) ||
	       stop(p, "far more than perf would compress into so little: the "
		       "rest is not read");
}

static void
inflate(struct perfdata *p, struct cursor body, bool sized)
{
	struct str piece;

	piece = cursor_bytes(&body,
			     sized ? cursor_u64(&body) : cursor_left(&body));
	if (body.bad || !perfpacked_add(&p->packed, piece))
		bad(p, "a compressed record is spoilt");
}

/* The formats of tracepoints, which follow their record. */
static void
take_formats(struct perfdata *p, uint64_t size)
{
	struct str bytes;

	if (p->second || size > MAX_FORMATS)
		return;
	bytes = input_bytes(p->in, (size_t)size);
	if (bytes.len > size)
		bytes.len = (size_t)size;
	tracefmt_read(&p->features.formats, bytes);
}

/* What perf never compresses; what follows would not be where it is sought. */
static bool
is_plain(uint32_t type)
{
	return type == PERF_COMPRESSED || type == PERF_COMPRESSED2 ||
	       type == PERF_HEADER_TRACING_DATA || type == PERF_AUXTRACE;
}

/* A record of perf's own. */
static void
take_user(struct perfdata *p, const struct perf_header *h, struct cursor body)
{
	uint64_t size;

	switch (h->type) {
	case PERF_COMPRESSED:
	case PERF_COMPRESSED2:
		inflate(p, body, h->type == PERF_COMPRESSED2);
		break;
	case PERF_HEADER_TRACING_DATA:
		size = cursor_u32(&body);
		take_formats(p, size);
		skip(p, (size + 7) & ~(uint64_t)7);
		break;
	case PERF_AUXTRACE:
		p->traces = true;
		skip(p, cursor_u64(&body));
		break;
	case PERF_FINISHED_ROUND:
		/* Of the main file, which says nothing of the parts. */
		if (p->sort && !p->features.directory)
			perforder_round(&p->order);
		break;
	default:
		break;
	}
	if (!p->second && !perffeat_take(&p->features, &p->events, h, body))
		bad(p, "an event is spoilt");
}

static bool
is_wanted(const struct perfdata *p, uint32_t type)
{
	return p->want == PERF_WANT_ALL ||
	       (p->want == PERF_WANT_SAMPLES) == perftype_is_sample(type);
}

/* The next record that is wanted, in the order of the file. */
static bool
next_raw(struct perfdata *p, struct raw *raw)
{
	while (next_inflated(p, raw) || next_plain(p, raw)) {
		p->records++;
		if (raw->head.type < PERF_USER) {
			if (is_wanted(p, raw->head.type))
				return true;
			continue;
		}
		if (raw->packed && is_plain(raw->head.type))
			bad(p, "a compressed record holds what perf never "
			       "compresses");
		else
			take_user(p, &raw->head, body_of(p, raw));
		if (p->order.next < p->order.ready)
			return false;
	}
	return false;
}

static bool
decode(struct perfdata *p, const struct raw *raw, struct perf_record *r)
{
	const char *why;

	if (!perfrecord_decode(&raw->head, body_of(p, raw), &p->events,
			       &p->space, r)) {
		why = raw->head.type == PERF_SAMPLE && p->events.n == 0 ?
			  "a sample before any event" :
			  "a record that is too short";
		/* Of samples, a first pass that wants none says nothing. */
		if (perftype_is_sample(raw->head.type))
			complain(p, why);
		else
			bad(p, why);
		return false;
	}
	if (r->has_time && r->time > p->newest)
		p->newest = r->time;
	return true;
}

/* The time by which a record is sorted: without one, where it stands. */
static uint64_t
sort_time(const struct perfdata *p, const struct perf_record *r)
{
	return r->has_time ? r->time : p->newest;
}

static bool
next_sorted(struct perfdata *p, struct perf_record *r)
{
	struct str record;
	struct raw raw;
	uint64_t number;

	for (;;) {
		if (perforder_next(&p->order, &number, &record)) {
			if (!read_header(p, record, &raw) ||
			    !decode(p, &raw, r))
				continue;
			r->number = number;
			return true;
		}
		/* What perf finds in buffers it writes: so there is no more. */
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
	struct raw raw;

	if (p->sort)
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
		perfgroup_begin(&p->group, r, p->head.swap);
	}
	return true;
}

struct str
perfdata_ahead(const struct perfdata *p)
{
	struct str next = input_left(p->in);

	if (perfpacked_left(&p->packed).len > 0)
		next = perfpacked_left(&p->packed);
	if (p->sort || next.len < CHAIN + AHEAD)
		return STR("");
	return (struct str){ next.p + CHAIN, AHEAD };
}
