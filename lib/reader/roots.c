/* roots.c - the frames at the root of a sample. */
#include "reader/roots.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "folded/name.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#define SLOTS 16

/* A sample; its slices point into the copies. */
struct roots_slot {
	struct root_frames frames; /* serial 0: none */
	struct sample last;
	struct buf comm, cgroup, event;
};

struct roots {
	struct intern *names;
	enum root root[ROOT_MAX];
	int n;
	unsigned seen;   /* bit set of the root frames that had a value */
	uint64_t serial; /* the last */
	struct buf host;
	struct roots_slot slot[SLOTS];
	struct buf text; /* scratch */
};

struct roots *
roots_new(struct intern *names, const enum root *root, int n)
{
	struct roots *r = mem_zero(1, sizeof(*r));
	char host[256] = "";
	int i;

	r->names = names;
	r->n = n;
	for (i = 0; i < n; i++)
		r->root[i] = root[i];
	gethostname(host, sizeof(host) - 1);
	buf_str(&r->host, str_of(host));
	return r;
}

void
roots_free(struct roots *r)
{
	struct roots_slot *slot;

	for (slot = r->slot; slot < r->slot + SLOTS; slot++) {
		buf_free(&slot->comm);
		buf_free(&slot->cgroup);
		buf_free(&slot->event);
		free(slot->frames.ids.id);
	}
	buf_free(&r->host);
	buf_free(&r->text);
	free(r);
}

static void
print_number(struct buf *out, int64_t n)
{
	if (n < 0)
		buf_char(out, '?');
	else
		buf_u64(out, (uint64_t)n);
}

static void
print_id(struct buf *out, const char *kind, int64_t n)
{
	if (n >= 0)
		buf_printf(out, "%s-%" PRId64, kind, n);
}

/* comm-PID, or comm-PID/TID */
static void
print_process(struct buf *out, const struct sample *sample, bool with_tid)
{
	name_word(out, sample->comm);
	if (sample->comm.len == 0 && sample->pid < 0 && sample->tid < 0)
		return;
	buf_char(out, '-');
	print_number(out, sample->pid);
	if (with_tid) {
		buf_char(out, '/');
		print_number(out, sample->tid);
	}
}

/* Append the text of a root frame; nothing if its value is unknown. */
static void
print_root(const struct roots *r, const struct sample *sample, struct buf *out,
	   enum root root)
{
	switch (root) {
	case ROOT_COMM_PID:
		print_process(out, sample, false);
		break;
	case ROOT_COMM_TID:
		print_process(out, sample, true);
		break;
	case ROOT_COMM:
		name_word(out, sample->comm);
		break;
	case ROOT_PID:
		print_id(out, "pid", sample->pid);
		break;
	case ROOT_TID:
		print_id(out, "tid", sample->tid);
		break;
	case ROOT_CPU:
		print_id(out, "cpu", sample->cpu);
		break;
	case ROOT_CGROUP:
		name_word(out, sample->cgroup);
		break;
	case ROOT_HOST:
		name_word(out, buf_slice(&r->host));
		break;
	case ROOT_EVENT:
		name_word(out, sample->event);
		break;
	}
}

/* Whether the root frame of a kind is another for this sample. */
static bool
differs(const struct sample *last, enum root root, const struct sample *sample)
{
	switch (root) {
	case ROOT_COMM_PID:
	case ROOT_COMM_TID:
		return sample->pid != last->pid || sample->tid != last->tid ||
		       !str_eq(sample->comm, last->comm);
	case ROOT_COMM:
		return !str_eq(sample->comm, last->comm);
	case ROOT_PID:
		return sample->pid != last->pid;
	case ROOT_TID:
		return sample->tid != last->tid;
	case ROOT_CPU:
		return sample->cpu != last->cpu;
	case ROOT_CGROUP:
		return !str_eq(sample->cgroup, last->cgroup);
	case ROOT_HOST:
		return false;
	case ROOT_EVENT:
		return !str_eq(sample->event, last->event);
	}
	return true;
}

static struct str
copy(struct buf *to, struct str s)
{
	to->len = 0;
	buf_str(to, s);
	return buf_slice(to);
}

/* A '#' at its start would make the line a comment. */
static void
escape_hash(struct buf *text)
{
	struct buf rest = *text;

	if (!str_starts(buf_slice(text), STR("#")))
		return;
	*text = (struct buf){ 0 };
	buf_str(text, STR("\\x23"));
	buf_str(text, str_skip(buf_slice(&rest), 1));
	buf_free(&rest);
}

static void
make_ids(struct roots *r, const struct sample *sample, struct ids *ids)
{
	int i;

	ids->n = 0;
	for (i = 0; i < r->n; i++) {
		r->text.len = 0;
		print_root(r, sample, &r->text, r->root[i]);
		if (ids->n == 0)
			escape_hash(&r->text);
		if (r->text.len > 0)
			r->seen |= 1u << i;
		if (r->text.len > 0)
			tokens_push(ids,
				    intern_id(r->names, buf_slice(&r->text)));
	}
}

const char *
roots_missing(const struct roots *r)
{
	static const char *const names[] = {
		[ROOT_COMM_PID] = "process", [ROOT_COMM_TID] = "process",
		[ROOT_COMM] = "comm",        [ROOT_PID] = "pid",
		[ROOT_TID] = "tid",          [ROOT_CPU] = "cpu",
		[ROOT_CGROUP] = "cgroup",    [ROOT_HOST] = "host",
		[ROOT_EVENT] = "event"
	};
	int i;

	for (i = 0; i < r->n; i++) {
		if (!(r->seen >> i & 1) && r->root[i] != ROOT_EVENT)
			return names[r->root[i]];
	}
	return NULL;
}

/* The threads of a few processes take turns. */
static struct roots_slot *
slot_of(struct roots *r, struct str comm)
{
	unsigned n = (unsigned)comm.len;

	if (n > 0)
		n += 3u * (unsigned char)comm.p[0] +
		     (unsigned char)comm.p[comm.len - 1];
	return &r->slot[n % SLOTS];
}

static bool
is_same(const struct roots *r, const struct roots_slot *slot,
	const struct sample *sample)
{
	int i;

	if (slot->frames.serial == 0)
		return false;
	for (i = 0; i < r->n; i++) {
		if (differs(&slot->last, r->root[i], sample))
			return false;
	}
	return true;
}

const struct root_frames *
roots_of(struct roots *r, const struct sample *sample)
{
	struct roots_slot *slot = slot_of(r, sample->comm);

	if (is_same(r, slot, sample))
		return &slot->frames;
	slot->frames.serial = ++r->serial;
	slot->last = *sample;
	slot->last.comm = copy(&slot->comm, sample->comm);
	slot->last.cgroup = copy(&slot->cgroup, sample->cgroup);
	slot->last.event = copy(&slot->event, sample->event);
	make_ids(r, &slot->last, &slot->frames.ids);
	return &slot->frames;
}

void
roots_renew(struct roots *r)
{
	struct roots_slot *slot;

	for (slot = r->slot; slot < r->slot + SLOTS; slot++)
		slot->frames.serial = 0;
}

void
roots_join(struct roots *r, const struct roots *other)
{
	r->seen |= other->seen;
}
