/* perfattr.c - the events of a perf.data file. */
#include "perfattr.h"

#include "hash.h"
#include "mem.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* perf_event_attr's flags as bits of a little-endian number. */
enum {
	FLAG_INHERIT = 1 << 1,
	FLAG_EXCLUDE_KERNEL = 1 << 5,
	FLAG_FREQ = 1 << 10,
	FLAG_SAMPLE_ID_ALL = 1 << 18,
	FLAG_USE_CLOCKID = 1 << 25,
	FLAG_CONTEXT_SWITCH = 1 << 26
};

/* One of those that an enum has no room for. */
#define FLAG_DEFER_CALLCHAIN ((uint64_t)1 << 38)

/* The name perf gives to an event of which nothing but the attr is known. */
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
 * The flags are C bit-fields, which a machine of the other byte order fills
 * from the other end of each byte.
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

/* What older attrs lack are zeros, which is what they mean there. */
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
	clock = optional_u64(c); /* behind sample_stack_user */
	ev->regs_intr = optional_u64(c);
	max_stack = 0;
	if (cursor_left(c) >= 8) {
		cursor_u32(c); /* aux_watermark */
		max_stack = cursor_u16(c);
		cursor_u16(c);
	}
	ev->max_stack = (unsigned)max_stack;
	ev->sample_id_all = flags & FLAG_SAMPLE_ID_ALL;
	ev->switches = flags & FLAG_CONTEXT_SWITCH;
	ev->inherited = flags & FLAG_INHERIT;
	ev->deferred = flags & FLAG_DEFER_CALLCHAIN;
	ev->user_only = flags & FLAG_EXCLUDE_KERNEL;
	/* Two fields of 32 bits were swapped as they lie, not as one of 64. */
	clock = c->swap ? clock & UINT32_MAX : clock >> 32;
	ev->monotonic = flags & FLAG_USE_CLOCKID && clock == CLOCK_MONOTONIC;
	if (flags & FLAG_FREQ)
		ev->hz = rate;
	else
		ev->period = rate;
	default_name(ev, &e->arena);
	e->event = mem_grow(e->event, &e->cap, e->n + 1,
			    sizeof(struct perf_event *));
	return e->event[e->n++] = ev;
}

/* The place of an id in the table, or where it would be. */
static struct perf_id *
slot(const struct perf_events *e, uint64_t id)
{
	size_t i = (size_t)hash_bytes(&id, sizeof(id)) & (e->size - 1);

	while (e->id[i].event1 != 0 && e->id[i].id != id)
		i = (i + 1) & (e->size - 1);
	return &e->id[i];
}

static void
grow(struct perf_events *e)
{
	struct perf_id *old = e->id;
	size_t i, n = e->size;

	e->size = n == 0 ? 64 : 2 * n;
	e->id = mem_zero(e->size, sizeof(*e->id));
	for (i = 0; i < n; i++) {
		if (old[i].event1 != 0)
			*slot(e, old[i].id) = old[i];
	}
	free(old);
}

void
perfattr_id(struct perf_events *e, uint64_t id, size_t event)
{
	struct perf_id *p;

	if (2 * e->nid >= e->size)
		grow(e);
	p = slot(e, id);
	if (p->event1 != 0)
		return;
	*p = (struct perf_id){ id, (uint32_t)event + 1 };
	e->nid++;
}

struct perf_event *
perfattr_known(const struct perf_events *e, uint64_t id)
{
	uint32_t event1 = e->nid == 0 ? 0 : slot(e, id)->event1;

	return event1 == 0 ? NULL : e->event[event1 - 1];
}

struct perf_event *
perfattr_find(const struct perf_events *e, uint64_t id)
{
	struct perf_event *ev = e->n > 1 && id != 0 ? perfattr_known(e, id) :
						      NULL;

	if (ev == NULL && e->n > 0)
		ev = e->event[0];
	return ev;
}

void
perfattr_rename(struct perf_events *e, size_t event, struct str name)
{
	struct perf_event *ev = event < e->n ? e->event[event] : NULL;

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
		/* Who is behind probes of returns is told by those of entries
		 * before them. */
		if (ev->type == PERF_TYPE_TRACEPOINT &&
		    ev->sample_type & PERF_STACK_USER)
			return true;
		/* Callers that come later are in the buffer of the CPU that
		 * their thread is on by then. */
		if (ev->deferred)
			return true;
		/* Counts of groups go on from those before; perf record
		 * --overwrite writes the last ones first. */
		if (ev->sample_type & PERF_READ &&
		    ev->read_format & PERF_READ_GROUP)
			return true;
	}
	return false;
}

void
perfattr_name_ids(struct perf_events *e, struct cursor *c, uint32_t n,
		  struct str name)
{
	struct str kept = STR("");
	struct perf_event *ev;

	for (; n > 0 && !c->bad; n--) {
		ev = perfattr_known(e, cursor_u64(c));
		if (ev == NULL || name.len == 0)
			continue;
		/* A long name is looked at once, not for each id. */
		if (kept.len == 0)
			kept = str_eq(ev->name, name) ?
				   ev->name :
				   arena_str(&e->arena, name);
		ev->name = kept;
	}
}

void
perfattr_free(struct perf_events *e)
{
	free(e->event);
	free(e->id);
	arena_free(&e->arena);
	*e = (struct perf_events){ 0 };
}

/* The ids begin where the attr's own size says. */
bool
perfattr_announce(struct perf_events *e, struct cursor body)
{
	struct cursor peek = body, attr;
	uint32_t size;

	cursor_u32(&peek);
	size = cursor_u32(&peek);
	attr = cursor_of(cursor_bytes(&body, size), body.swap);
	if (perfattr_add(e, &attr) == NULL)
		return false;
	while (cursor_left(&body) >= 8)
		perfattr_id(e, cursor_u64(&body), e->n - 1);
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
