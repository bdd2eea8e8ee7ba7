/* perfattr.c - the events of a perf.data file: perf_event_attr and ids. */
#include "perfdata/perfattr.h"

#include "base/table.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

struct perf_id {
	uint64_t id;
	struct perf_event *event;
	UT_hash_handle hh;
};

/* Name an event by its attr alone, as perf does. */
static void
default_name(struct perf_event *ev, struct arena *arena)
{
	static const char *const hardware[] = { "cycles",
						"instructions",
						"cache-references",
						"cache-misses",
						"branches",
						"branch-misses",
						"bus-cycles",
						"stalled-cycles-frontend",
						"stalled-cycles-backend",
						"ref-cycles" };
	static const char *const software[] = {
		"cpu-clock",        "task-clock",
		"page-faults",      "context-switches",
		"cpu-migrations",   "minor-faults",
		"major-faults",     "alignment-faults",
		"emulation-faults", "dummy",
		"bpf-output",       "cgroup-switches"
	};
	char text[64];

	if (ev->type == PERF_TYPE_HARDWARE &&
	    ev->config < sizeof(hardware) / sizeof(*hardware)) {
		ev->name = str_of(hardware[ev->config]);
		return;
	}
	if (ev->type == PERF_TYPE_SOFTWARE &&
	    ev->config < sizeof(software) / sizeof(*software)) {
		ev->name = str_of(software[ev->config]);
		return;
	}
	if (ev->type == PERF_TYPE_TRACEPOINT)
		snprintf(text, sizeof(text), "tracepoint-%" PRIu64, ev->config);
	else
		snprintf(text, sizeof(text), "type%" PRIu32 "-0x%" PRIx64,
			 ev->type, ev->config);
	ev->name = arena_str(arena, str_of(text));
}

/*
 * The flags are C bit-fields.  A machine of the other byte order begins at the
 * other end of each byte.
 */
static uint64_t
read_flags(struct cursor *c)
{
	struct str bytes = cursor_bytes(c, 8);
	uint64_t flags = 0;
	size_t i, bit;
	unsigned byte;

	for (i = 0; i < bytes.len; i++) {
		byte = (unsigned char)bytes.p[i];
		for (bit = 0; bit < 8; bit++) {
			if (byte & (c->swap ? 0x80u >> bit : 1u << bit))
				flags |= (uint64_t)1 << (8 * i + bit);
		}
	}
	return flags;
}

/* A field that older attrs lack; then 0 is the right value. */
static uint64_t
optional_u64(struct cursor *c)
{
	return cursor_left(c) >= 8 ? cursor_u64(c) : 0;
}

struct perf_event *
perfattr_add(struct perf_events *e, struct cursor *c)
{
	struct perf_event *ev;
	uint64_t flags, rate, max_stack, clock;

	if (cursor_left(c) < PERF_ATTR_MIN || e->n == UINT32_MAX)
		return NULL;
	ev = arena_alloc(&e->arena, sizeof(*ev));
	*ev = (struct perf_event){ .number = (uint32_t)e->n,
				   .type = cursor_u32(c) };
	cursor_u32(c); /* size */
	ev->config = cursor_u64(c);
	rate = cursor_u64(c);
	ev->sample_type = cursor_u64(c);
	ev->read_format = cursor_u64(c);
	flags = read_flags(c);
	cursor_bytes(c, 16); /* wakeup, bp_type, config1 */
	optional_u64(c);     /* config2 */
	ev->branch_type = optional_u64(c);
	ev->regs_user = optional_u64(c);
	clock = optional_u64(c); /* and sample_stack_user */
	ev->regs_intr = optional_u64(c);
	max_stack = 0;
	if (cursor_left(c) >= 8) {
		cursor_u32(c); /* aux_watermark */
		max_stack = cursor_u16(c);
		cursor_u16(c);
	}
	ev->max_stack = (unsigned)max_stack;
	ev->sample_id_all = flags & PERF_ATTR_SAMPLE_ID_ALL;
	ev->switches = flags & PERF_ATTR_CONTEXT_SWITCH;
	ev->inherited = flags & PERF_ATTR_INHERIT;
	ev->deferred = flags & PERF_ATTR_DEFER_CALLCHAIN;
	ev->user_only = flags & PERF_ATTR_EXCLUDE_KERNEL;
	/* Each of the two 32-bit fields is swapped, not both as one number. */
	clock = c->swap ? clock & UINT32_MAX : clock >> 32;
	ev->monotonic = flags & PERF_ATTR_USE_CLOCKID &&
			clock == CLOCK_MONOTONIC;
	if (flags & PERF_ATTR_FREQ)
		ev->hz = rate;
	else
		ev->period = rate;
	default_name(ev, &e->arena);
	e->event = mem_grow(e->event, &e->cap, e->n + 1,
			    sizeof(struct perf_event *));
	return e->event[e->n++] = ev;
}

/* NULL if there is no such id. */
static struct perf_id *
find_id(struct perf_events *e, uint64_t id)
{
	struct perf_id *p = e->last;

	if (p != NULL && p->id == id)
		return p;
	HASH_FIND(hh, e->ids, &id, sizeof(id), p);
	if (p != NULL)
		e->last = p;
	return p;
}

void
perfattr_add_id(struct perf_events *e, uint64_t id, struct perf_event *event)
{
	struct perf_id *p = find_id(e, id);

	if (p != NULL)
		return;
	p = arena_alloc(&e->arena, sizeof(*p));
	*p = (struct perf_id){ .id = id, .event = event };
	HASH_ADD(hh, e->ids, id, sizeof(id), p);
}

struct perf_event *
perfattr_by_id(struct perf_events *e, uint64_t id)
{
	const struct perf_id *p = find_id(e, id);

	return p == NULL ? NULL : p->event;
}

struct perf_event *
perfattr_of_sample(struct perf_events *e, uint64_t id)
{
	struct perf_event *ev = e->n > 1 && id != 0 ? perfattr_by_id(e, id) :
						      NULL;

	if (ev == NULL && e->n > 0)
		ev = e->event[0];
	return ev;
}

void
perfattr_rename(struct perf_events *e, size_t number, struct str name)
{
	struct perf_event *ev = number < e->n ? e->event[number] : NULL;

	if (ev != NULL && name.len > 0 && !str_eq(ev->name, name))
		ev->name = arena_str(&e->arena, name);
}

bool
perfattr_need_order(const struct perf_events *e)
{
	const struct perf_event *ev;
	size_t i;

	for (i = 0; i < e->n; i++) {
		ev = e->event[i];
		/* Stacks of return probes need the stacks of the entry
		 * probes before them. */
		if (ev->type == PERF_TYPE_TRACEPOINT &&
		    ev->sample_type & PERF_SAMPLE_STACK_USER)
			return true;
		/* A deferred chain is in the buffer of the CPU to which the
		 * thread has moved meanwhile. */
		if (ev->deferred)
			return true;
		/* Counts of a group continue those of the last sample; perf
		 * record --overwrite writes the last samples first. */
		if (ev->sample_type & PERF_SAMPLE_READ &&
		    ev->read_format & PERF_FORMAT_GROUP)
			return true;
	}
	return false;
}

void
perfattr_name_ids(struct perf_events *e, struct cursor *c, uint32_t n,
		  struct str name)
{
	struct str copy = STR("");
	struct perf_event *ev;

	for (; n > 0 && !c->bad; n--) {
		ev = perfattr_by_id(e, cursor_u64(c));
		if (ev == NULL || name.len == 0)
			continue;
		/* Compare and copy a long name once, not for each id. */
		if (copy.len == 0)
			copy = str_eq(ev->name, name) ?
				   ev->name :
				   arena_str(&e->arena, name);
		ev->name = copy;
	}
}

void
perfattr_free(struct perf_events *e)
{
	free(e->event);
	HASH_CLEAR(hh, e->ids);
	arena_free(&e->arena);
	*e = (struct perf_events){ 0 };
}

bool
perfattr_read(struct perf_events *e, struct cursor body)
{
	struct cursor peek = body, attr;
	struct perf_event *ev;
	uint32_t size;

	cursor_u32(&peek);
	size = cursor_u32(&peek);
	attr = cursor_of(cursor_bytes(&body, size), body.swap);
	ev = perfattr_add(e, &attr);
	if (ev == NULL)
		return false;
	/* The ids follow the attr, which states its own size. */
	while (cursor_left(&body) >= 8)
		perfattr_add_id(e, cursor_u64(&body), ev);
	return true;
}

void
perfattr_update(struct perf_events *e, struct cursor body)
{
	enum { UPDATE_NAME = 2 };
	uint64_t kind = cursor_u64(&body);
	struct cursor id = body;

	cursor_u64(&body);
	if (kind == UPDATE_NAME)
		perfattr_name_ids(e, &id, 1,
				  cursor_text(&body, cursor_left(&body)));
}
