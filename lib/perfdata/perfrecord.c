/* perfrecord.c - decodes one record of a perf.data file. */
#include "perfdata/perfrecord.h"

#include "base/mem.h"

#include <stdlib.h>

/* Bits of branch_sample_type. */
enum { BRANCH_HW_INDEX = 1 << 17, BRANCH_COUNTERS = 1 << 19 };

/* Indexes of entries in a namespaces record. */
enum { NS_PID = 3, NS_MOUNT = 5 };

void
perfrecord_free(struct perf_space *space)
{
	free(space->number);
	free(space->branch);
	*space = (struct perf_space){ 0 };
}

struct perf_header
perfrecord_header(struct cursor *c)
{
	const struct str bytes = cursor_bytes(c, PERF_HEADER_SIZE);
	struct perf_header h = { 0 };

	if (bytes.len == sizeof(h))
		memcpy(&h, bytes.p, sizeof(h));
	if (c->swap) {
		h.type = __builtin_bswap32(h.type);
		h.misc = __builtin_bswap16(h.misc);
		h.size = __builtin_bswap16(h.size);
	}
	if (h.size < PERF_HEADER_SIZE)
		c->bad = true;
	return h;
}

static int64_t
to_id(uint32_t n)
{
	return (int32_t)n;
}

static unsigned
count_bits(uint64_t mask)
{
	return (unsigned)__builtin_popcountll(mask);
}

/*
 * The event of a sample.  The id is at the start if all events have
 * PERF_SAMPLE_IDENTIFIER, otherwise at an offset that is the same for all
 * events.
 */
static const struct perf_event *
sample_event(struct perf_events *events, struct cursor c)
{
	uint64_t type = events->event[0]->sample_type;

	if (events->n == 1)
		return events->event[0];
	if (!(type & PERF_SAMPLE_IDENTIFIER)) {
		if (!(type & PERF_SAMPLE_ID))
			return events->event[0];
		cursor_bytes(
		    &c, 8 * count_bits(type &
				       (PERF_SAMPLE_IP | PERF_SAMPLE_TID |
					PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR)));
	}
	return perfattr_of_sample(events, cursor_u64(&c));
}

static void
read_counts(struct cursor *c, uint64_t format, struct perf_record *r)
{
	uint64_t n, times, size;
	struct str counts;

	times = count_bits(format & (PERF_FORMAT_TOTAL_TIME_ENABLED |
				     PERF_FORMAT_TOTAL_TIME_RUNNING));
	size = 1 + count_bits(format & (PERF_FORMAT_ID | PERF_FORMAT_LOST));
	if (!(format & PERF_FORMAT_GROUP)) {
		cursor_bytes(c, 8 * (times + size));
		return;
	}
	n = cursor_u64(c);
	cursor_bytes(c, 8 * times);
	if (n > cursor_left(c) / 8)
		n = UINT64_MAX / 64; /* too many: the cursor gets bad */
	counts = cursor_bytes(c, 8 * n * size);
	if (format & PERF_FORMAT_ID)
		r->readings = counts;
}

/* Read n numbers to space->number + at; the record states n. */
static uint64_t *
read_numbers(struct cursor *c, struct perf_space *space, size_t at, uint64_t n)
{
	if (n > cursor_left(c) / 8) {
		cursor_bytes(c, UINT64_MAX);
		return NULL;
	}
	space->number = mem_grow(space->number, &space->cap, at + (size_t)n + 1,
				 sizeof(*space->number));
	cursor_u64s(c, space->number + at, n);
	return space->number + at;
}

static void
read_branches(struct cursor *c, uint64_t type, struct perf_space *space,
	      struct perf_record *r)
{
	uint64_t n = cursor_u64(c);
	size_t i;

	if (type & BRANCH_HW_INDEX)
		cursor_u64(c);
	if (n > cursor_left(c) / sizeof(struct perf_branch)) {
		cursor_bytes(c, UINT64_MAX);
		return;
	}
	r->nbranches = (size_t)n;
	space->branch = mem_grow(space->branch, &space->branch_cap,
				 r->nbranches + 1, sizeof(*space->branch));
	r->branch = space->branch;
	for (i = 0; i < r->nbranches; i++) {
		r->branch[i].from = cursor_u64(c);
		r->branch[i].to = cursor_u64(c);
		r->branch[i].flags = cursor_u64(c);
	}
	if (type & BRANCH_COUNTERS)
		cursor_bytes(c, 8 * n);
}

/* Registers follow the chain in the same array. */
static void
read_regs(struct cursor *c, uint64_t mask, struct perf_space *space,
	  struct perf_record *r)
{
	r->user.abi = cursor_u64(c);
	r->user.mask = mask;
	if (r->user.abi == 0)
		return;
	r->user.n = count_bits(mask);
	r->user.reg = read_numbers(c, space, r->nips, r->user.n);
	r->ips = space->number; /* it may have moved */
}

/*
 * Append the chain of frame pointers that stackrecord stores beside the stack
 * to the call chain, which has only the kernel's part; see PERF_STACK_CHAIN.
 * The registers move to the end of the longer chain.
 */
static void
read_stored_chain(struct cursor c, struct perf_space *space,
		  struct perf_record *r)
{
	const size_t kernel = r->nips;
	uint64_t n;

	if (cursor_left(&c) < 16 || cursor_u64(&c) != PERF_STACK_CHAIN)
		return;
	n = cursor_u64(&c);
	if (n == 0 || n > cursor_left(&c) / 8 || perfrecord_user(r) < kernel)
		return;
	r->nips = kernel + 1 + (size_t)n;
	space->number = mem_grow(space->number, &space->cap,
				 r->nips + r->user.n + 1,
				 sizeof(*space->number));
	r->ips = space->number;
	memmove(r->ips + r->nips, r->ips + kernel, r->user.n * sizeof(*r->ips));
	if (r->user.n > 0)
		r->user.reg = r->ips + r->nips;
	r->ips[kernel] = PERF_CONTEXT_USER;
	cursor_u64s(&c, r->ips + kernel + 1, n);
}

static void
read_stack(struct cursor *c, struct perf_space *space, struct perf_record *r)
{
	uint64_t size = cursor_u64(c), valid;
	struct cursor after = *c;

	if (size == 0)
		return;
	r->stack = cursor_bytes(c, size);
	valid = cursor_u64(c);
	r->has_stack = !c->bad;
	if (!r->has_stack || valid >= r->stack.len)
		return;
	after.end = r->stack.p + r->stack.len;
	cursor_bytes(&after, (valid + 7) / 8 * 8);
	r->stack.len = (size_t)valid;
	if (!after.bad)
		read_stored_chain(after, space, r);
}

/* The second half of a sample; most samples lack it. */
static void
read_extras(struct cursor *c, const struct perf_event *ev,
	    struct perf_space *space, struct perf_record *r)
{
	uint64_t type = ev->sample_type;

	if (type & PERF_SAMPLE_RAW)
		r->raw = cursor_bytes(c, cursor_u32(c));
	if (type & PERF_SAMPLE_BRANCH_STACK)
		read_branches(c, ev->branch_type, space, r);
	if (type & PERF_SAMPLE_REGS_USER)
		read_regs(c, ev->regs_user, space, r);
	if (type & PERF_SAMPLE_STACK_USER)
		read_stack(c, space, r);
	if (type & (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT))
		cursor_u64(c);
	if (type & PERF_SAMPLE_DATA_SRC)
		cursor_u64(c);
	if (type & PERF_SAMPLE_TRANSACTION)
		cursor_u64(c);
	if (type & PERF_SAMPLE_REGS_INTR && cursor_u64(c) != 0)
		cursor_bytes(c, 8 * count_bits(ev->regs_intr));
	if (type & PERF_SAMPLE_PHYS_ADDR)
		cursor_u64(c);
	if (type & PERF_SAMPLE_CGROUP)
		r->cgroup = cursor_u64(c);
}

static void
read_ids(struct cursor *c, uint64_t type, struct perf_record *r)
{
	if (type & PERF_SAMPLE_TID) {
		r->pid = to_id(cursor_u32(c));
		r->tid = to_id(cursor_u32(c));
	}
	if (type & PERF_SAMPLE_TIME) {
		r->time = cursor_u64(c);
		r->has_time = true;
	}
}

/*
 * A wait of perf record --off-cpu.  Since Linux 6.16 the sample itself is of
 * the thread that ran when the wait ended; the raw bytes describe the wait.
 * Waits that perf writes at the end of the recording have an invented time.
 */
static void
read_wait(struct cursor raw, struct perf_space *space, struct perf_record *r)
{
	const uint64_t invented = UINT64_MAX << 32;
	uint64_t n;

	if (r->time >= invented)
		r->has_time = false;
	if (!(r->event->sample_type & PERF_SAMPLE_RAW))
		return;
	/* These are of the running thread, and the chain overwrites them. */
	r->user = (struct perf_regs){ 0 };
	r->has_stack = false;
	r->nbranches = 0;
	r->pid = to_id(cursor_u32(&raw));
	r->tid = to_id(cursor_u32(&raw));
	r->period = cursor_u64(&raw);
	n = cursor_u64(&raw);
	r->ips = read_numbers(&raw, space, 0, n);
	r->nips = r->ips == NULL ? 0 : (size_t)n;
	r->has_chain = true;
	r->cgroup = cursor_u64(&raw);
}

static void
decode_sample(struct cursor *c, struct perf_events *events,
	      struct perf_space *space, struct perf_record *r)
{
	const struct perf_event *ev = sample_event(events, *c);
	uint64_t type = ev->sample_type, n;

	r->event = ev;
	if (type & PERF_SAMPLE_IDENTIFIER)
		r->id = cursor_u64(c);
	r->has_ip = type & PERF_SAMPLE_IP;
	if (r->has_ip)
		r->ip = cursor_u64(c);
	read_ids(c, type, r);
	if (type & PERF_SAMPLE_ADDR)
		cursor_u64(c);
	if (type & PERF_SAMPLE_ID)
		r->id = cursor_u64(c);
	if (type & PERF_SAMPLE_STREAM_ID)
		cursor_u64(c);
	if (type & PERF_SAMPLE_CPU) {
		r->cpu = to_id(cursor_u32(c));
		cursor_u32(c);
	}
	r->period = ev->period;
	r->has_period = ev->period > 0;
	if (type & PERF_SAMPLE_PERIOD) {
		r->period = cursor_u64(c);
		r->has_period = true;
	}
	if (type & PERF_SAMPLE_READ)
		read_counts(c, ev->read_format, r);
	if (type & PERF_SAMPLE_CALLCHAIN) {
		n = cursor_u64(c);
		r->ips = read_numbers(c, space, 0, n);
		r->nips = r->ips == NULL ? 0 : (size_t)n;
		r->has_chain = true;
	}
	read_extras(c, ev, space, r);
	if (ev->type == PERF_TYPE_SOFTWARE &&
	    ev->config == PERF_COUNT_SW_BPF_OUTPUT &&
	    str_starts(ev->name, STR("offcpu-time")))
		read_wait(cursor_of(r->raw, c->swap), space, r);
}

/*
 * The trailer of the kernel's other records, if the attr has sample_id_all.
 * It is cut off the end of the cursor.
 */
static void
read_trailer(struct cursor *c, struct perf_events *events,
	     struct perf_record *r)
{
	const struct perf_event *ev = events->n == 0 ? NULL : events->event[0];
	struct cursor t = *c;
	uint64_t type, size;

	if (ev == NULL || !ev->sample_id_all)
		return;
	if (events->n > 1 && ev->sample_type & PERF_SAMPLE_IDENTIFIER) {
		if (cursor_left(c) < 8)
			return;
		t.p = t.end - 8;
		ev = perfattr_of_sample(events, cursor_u64(&t));
		t = *c;
	}
	type = ev->sample_type & (PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
				  PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID |
				  PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER);
	size = 8 * count_bits(type);
	if (cursor_left(c) < size) {
		c->bad = true;
		return;
	}
	t.p = c->end -= size;
	read_ids(&t, type, r);
	if (type & PERF_SAMPLE_ID)
		r->id = cursor_u64(&t);
	if (type & PERF_SAMPLE_STREAM_ID)
		cursor_u64(&t);
	if (type & PERF_SAMPLE_CPU)
		r->cpu = to_id(cursor_u32(&t));
}

static void
decode_mmap(struct cursor *c, struct perf_record *r)
{
	struct str id;

	r->pid = to_id(cursor_u32(c));
	r->tid = to_id(cursor_u32(c));
	r->start = cursor_u64(c);
	r->len = cursor_u64(c);
	r->pgoff = cursor_u64(c);
	if (r->type == PERF_RECORD_MMAP2 &&
	    r->misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
		id = cursor_bytes(c, 24);
		if (id.len == 24 && id.p[0] > 0 && id.p[0] <= 20)
			r->build_id = (struct str){ id.p + 4, (size_t)id.p[0] };
	} else if (r->type == PERF_RECORD_MMAP2) {
		r->major = cursor_u32(c);
		r->minor = cursor_u32(c);
		r->inode = cursor_u64(c);
		cursor_u64(c); /* generation */
	}
	if (r->type == PERF_RECORD_MMAP2) {
		r->prot = cursor_u32(c);
		cursor_u32(c); /* flags */
	}
	r->name = cursor_text(c, cursor_left(c));
}

/* COMM; FORK and EXIT */
static void
decode_task(struct cursor *c, struct perf_record *r)
{
	r->pid = to_id(cursor_u32(c));
	if (r->type == PERF_RECORD_COMM) {
		r->tid = to_id(cursor_u32(c));
		r->name = cursor_text(c, cursor_left(c));
		return;
	}
	r->ppid = to_id(cursor_u32(c));
	r->tid = to_id(cursor_u32(c));
	r->ptid = to_id(cursor_u32(c));
	cursor_u64(c); /* time, which the trailer also has */
}

static void
decode_namespaces(struct cursor *c, struct perf_record *r)
{
	uint64_t i, n, inode;

	r->pid = to_id(cursor_u32(c));
	r->tid = to_id(cursor_u32(c));
	n = cursor_u64(c);
	for (i = 0; i < n && !c->bad; i++) {
		cursor_u64(c); /* device */
		inode = cursor_u64(c);
		if (i == NS_PID)
			r->pid_ns = inode;
		if (i == NS_MOUNT)
			r->mount_ns = inode;
	}
}

static void
decode_symbol(struct cursor *c, struct perf_record *r)
{
	r->start = cursor_u64(c);
	r->len = cursor_u32(c);
	cursor_u16(c); /* kind */
	r->symbol_flags = cursor_u16(c);
	r->name = cursor_text(c, cursor_left(c));
}

static void
decode_build_id(struct cursor *c, struct perf_record *r)
{
	struct str id;
	size_t size = 20;

	r->pid = to_id(cursor_u32(c));
	id = cursor_bytes(c, 24);
	if (id.len == 24 && r->misc & PERF_RECORD_MISC_BUILD_ID_SIZE)
		size = (unsigned char)id.p[20];
	if (id.len == 24 && size <= 20)
		r->build_id = (struct str){ id.p, size };
	r->name = cursor_text(c, cursor_left(c));
}

static void
decode_deferred(struct cursor *c, struct perf_space *space,
		struct perf_record *r)
{
	uint64_t n;

	r->cookie = cursor_u64(c);
	n = cursor_u64(c);
	r->ips = read_numbers(c, space, 0, n);
	r->nips = r->ips == NULL ? 0 : (size_t)n;
}

/* A record of the kernel other than a sample. */
static void
decode_other(struct cursor *c, struct perf_space *space, struct perf_record *r)
{
	switch (r->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		decode_mmap(c, r);
		break;
	case PERF_RECORD_COMM:
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		decode_task(c, r);
		break;
	case PERF_RECORD_LOST:
		cursor_u64(c); /* id */
		r->lost = cursor_u64(c);
		break;
	case PERF_RECORD_LOST_SAMPLES:
		r->lost = cursor_u64(c);
		break;
	case PERF_RECORD_NAMESPACES:
		decode_namespaces(c, r);
		break;
	case PERF_RECORD_KSYMBOL:
		decode_symbol(c, r);
		break;
	case PERF_RECORD_CGROUP:
		r->cgroup = cursor_u64(c);
		r->name = cursor_text(c, cursor_left(c));
		break;
	case PERF_RECORD_CALLCHAIN_DEFERRED:
		decode_deferred(c, space, r);
		break;
	default:
		break;
	}
}

bool
perfrecord_decode(const struct perf_header *h, struct cursor body,
		  struct perf_events *events, struct perf_space *space,
		  struct perf_record *r)
{
	*r = (struct perf_record){ .type = h->type,
				   .misc = h->misc,
				   .number = r->number,
				   .pid = -1,
				   .tid = -1,
				   .cpu = -1,
				   .ppid = -1,
				   .ptid = -1 };
	if (r->type == PERF_RECORD_SAMPLE) {
		if (events->n == 0)
			return false;
		decode_sample(&body, events, space, r);
		return !body.bad;
	}
	if (r->type == PERF_RECORD_HEADER_BUILD_ID)
		decode_build_id(&body, r);
	if (r->type >= PERF_RECORD_USER_TYPE_START)
		return !body.bad;
	read_trailer(&body, events, r);
	decode_other(&body, space, r);
	return !body.bad;
}

size_t
perfrecord_user(const struct perf_record *r)
{
	size_t i;

	for (i = 0; i < r->nips; i++) {
		if (r->ips[i] == PERF_CONTEXT_USER)
			break;
	}
	return i;
}
