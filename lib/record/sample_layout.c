/* sample_layout.c - samples and other records, as they go to the file. */
#include "record/sample_layout.h"

#include "arch/arch.h"
#include "base/cursor.h"

#include <string.h>

/* Offsets in a sample. */
enum { AT_ID = 8, AT_TID = 24, AT_TIME = 32, AT_PERIOD = 48 };

/* Offsets in the trailer of other records, and its size. */
enum { TRAILER_TIME = 8, TRAILER_ID = 24, TRAILER = 32 };

/* The id in a record of losses, and the name in PERF_RECORD_MMAP2. */
enum { AT_LOST_ID = 8, AT_MMAP2_NAME = 72 };

/* The largest record, whose size is a multiple of 8 in 16 bits. */
enum { LARGEST = 65528 };

/* The parts of a sample, as the kernel wrote it. */
struct sample_parts {
	struct str start;        /* up to the chain */
	struct str kernel, user; /* addresses; without the marker of user */
	struct str middle;       /* raw bytes, registers */
	struct str registers;    /* values; empty without user mode */
	struct str stack;        /* the valid bytes */
	struct str rest;         /* after the stack */
	bool copied;             /* the sample has a stack */
};

static struct perf_header
header_of(const void *record)
{
	struct perf_header h;

	memcpy(&h, record, sizeof(h));
	return h;
}

bool
sample_layout_read(const void *record, size_t size, struct sample_ids *r)
{
	const char *p = record, *tids, *time, *id;
	uint32_t ids[2];

	if (header_of(record).type == PERF_RECORD_SAMPLE) {
		if (size < AT_PERIOD)
			return false;
		id = p + AT_ID;
		tids = p + AT_TID;
		time = p + AT_TIME;
	} else {
		if (size < sizeof(struct perf_header) + TRAILER)
			return false;
		tids = p + size - TRAILER;
		time = tids + TRAILER_TIME;
		id = tids + TRAILER_ID;
	}
	memcpy(ids, tids, sizeof(ids));
	memcpy(&r->time, time, sizeof(r->time));
	memcpy(&r->id, id, sizeof(r->id));
	r->pid = (int32_t)ids[0];
	r->tid = (int32_t)ids[1];
	return true;
}

uint64_t
sample_layout_period(const void *record, size_t size, uint64_t sample_type)
{
	uint64_t period = 0;

	if (sample_type & PERF_SAMPLE_PERIOD &&
	    size >= AT_PERIOD + sizeof(period))
		memcpy(&period, (const char *)record + AT_PERIOD,
		       sizeof(period));
	return period;
}

/* Split the chain at the marker of user mode. */
static void
split_chain(struct str chain, struct sample_parts *p)
{
	uint64_t address;
	size_t i;

	p->kernel = chain;
	for (i = 0; i < chain.len; i += sizeof(address)) {
		memcpy(&address, chain.p + i, sizeof(address));
		if (address != PERF_CONTEXT_USER)
			continue;
		p->kernel.len = i;
		p->user = str_skip(chain, i + sizeof(address));
		return;
	}
}

static bool
split(const void *record, size_t size, const struct sample_layout *layout,
      struct sample_parts *p)
{
	struct cursor c = cursor_of((struct str){ record, size }, false);
	const uint64_t type = layout->sample_type;
	const uint64_t start = AT_PERIOD + (type & PERF_SAMPLE_PERIOD ? 8 : 0);
	const char *middle;
	uint64_t n, valid;

	*p = (struct sample_parts){ .start = cursor_bytes(&c, start) };
	n = cursor_u64(&c);
	if (n > cursor_left(&c) / 8)
		return false;
	split_chain(cursor_bytes(&c, n * 8), p);
	middle = c.p;
	if (type & PERF_SAMPLE_RAW)
		cursor_bytes(&c, cursor_u32(&c));
	if (cursor_u64(&c) != 0) /* the ABI of the registers */
		p->registers = cursor_bytes(
		    &c, 8 * (uint64_t)__builtin_popcountll(layout->regs));
	p->middle = str_range(middle, c.p);
	n = cursor_u64(&c);
	p->copied = n > 0;
	if (p->copied) {
		p->stack = cursor_bytes(&c, n);
		valid = cursor_u64(&c);
		if (valid < p->stack.len)
			p->stack.len = (size_t)valid;
	}
	p->rest = str_range(c.p, c.end);
	return !c.bad;
}

/* A word of the stack; false if the copy does not have it. */
static bool
read_word(struct str stack, uint64_t at, uint64_t *word)
{
	if (at > stack.len || stack.len - at < sizeof(*word))
		return false;
	memcpy(word, stack.p + at, sizeof(*word));
	return true;
}

/*
 * Whether frame pointers lead from the registers out of the first bytes of the
 * stack, and the chain goes on there: then a reader can join both.  In code
 * without frame pointers, the register is any number; that it leads through
 * several frames, each with an address of the chain, is no chance.
 */
static bool
chain_leaves(const struct sample_parts *p, const struct sample_layout *layout)
{
	enum { LEAST_FRAMES = 3 };
	const struct arch *a = arch_host();
	uint64_t values[64], address, fp, at, i;
	struct arch_registers r = { 0 };

	if (a == NULL || p->registers.len > sizeof(values))
		return false;
	memcpy(values, p->registers.p, p->registers.len);
	if (!arch_perf_registers(a, layout->regs, values, p->registers.len / 8,
				 &r) ||
	    !arch_knows(&r, a->fp))
		return false;
	fp = r.value[a->fp];
	for (i = 1; i < p->user.len / 8; i++) {
		at = fp - r.value[a->sp];
		if (at >= layout->usual_stack)
			return at < p->stack.len && i > LEAST_FRAMES;
		memcpy(&address, p->user.p + 8 * i, sizeof(address));
		if (!read_word(p->stack, at + (uint64_t)a->frame.pc,
			       &values[0]) ||
		    values[0] != address ||
		    !read_word(p->stack, at + (uint64_t)a->frame.fp,
			       &values[1]) ||
		    values[1] <= fp)
			return false;
		fp = values[1];
	}
	return false;
}

static void
add_u64(struct buf *out, uint64_t n)
{
	buf_add(out, &n, sizeof(n));
}

static void
add_stack(struct buf *out, const struct sample_parts *p, bool with_chain)
{
	static const char zeros[8];
	const size_t pad = -p->stack.len & 7, n = p->user.len / 8;
	const uint64_t size = p->stack.len + pad +
			      (with_chain ? 8 * (2 + n) : 0);

	add_u64(out, size);
	if (size == 0)
		return;
	buf_str(out, p->stack);
	buf_add(out, zeros, pad);
	if (with_chain) {
		add_u64(out, PERF_STACK_CHAIN);
		add_u64(out, n);
		buf_str(out, p->user);
	}
	add_u64(out, p->stack.len);
}

/*
 * Without a copy the chain stays where it is.  A chain that has no room after a
 * copy of 60 KB is left out: the copy goes further than the chain.
 */
static void
add_parts(struct buf *out, const struct sample_parts *p)
{
	const size_t at = out->len;
	const uint64_t marker = PERF_CONTEXT_USER;
	const bool moves = p->copied && p->user.len > 0;
	const size_t most = p->start.len + p->kernel.len + p->user.len +
			    p->middle.len + p->stack.len + p->rest.len + 64;
	struct perf_header h = header_of(p->start.p);

	buf_str(out, p->start);
	add_u64(out, (p->kernel.len +
		      (moves || p->user.len == 0 ? 0 : p->user.len + 8)) /
			 8);
	buf_str(out, p->kernel);
	if (!moves && p->user.len > 0) {
		add_u64(out, marker);
		buf_str(out, p->user);
	}
	buf_str(out, p->middle);
	add_stack(out, p, moves && most <= LARGEST);
	buf_str(out, p->rest);
	h.size = (uint16_t)(out->len - at);
	memcpy(out->p + at, &h, sizeof(h));
}

/* A mapping of data that no file has, such as the heap. */
static bool
is_memory(const void *record, size_t size)
{
	const struct perf_header h = header_of(record);
	const struct str name = str_skip((struct str){ record, size },
					 AT_MMAP2_NAME);

	return h.type == PERF_RECORD_MMAP2 &&
	       h.misc & PERF_RECORD_MISC_MMAP_DATA &&
	       (str_starts(name, STR("//anon")) || str_starts(name, STR("[")));
}

/* A loss has the id of its event twice. */
static void
add_other(struct buf *out, const void *record, size_t size, uint64_t id)
{
	const size_t at = out->len;

	if (is_memory(record, size))
		return;
	buf_add(out, record, size);
	memcpy(out->p + at + size - sizeof(id), &id, sizeof(id));
	if (header_of(record).type == PERF_RECORD_LOST)
		memcpy(out->p + at + AT_LOST_ID, &id, sizeof(id));
}

/* Each sample is written in place of several. */
static void
multiply_period(struct buf *out, size_t at, uint32_t times)
{
	uint64_t period;

	memcpy(&period, out->p + at + AT_PERIOD, sizeof(period));
	period *= times;
	memcpy(out->p + at + AT_PERIOD, &period, sizeof(period));
}

void
sample_layout_write(struct buf *out, const void *record, size_t size,
		    uint64_t id, const struct sample_layout *layout)
{
	const size_t at = out->len;
	struct sample_parts p;

	if (header_of(record).type != PERF_RECORD_SAMPLE) {
		add_other(out, record, size, id);
		return;
	}
	if (layout->sample_type & PERF_SAMPLE_STACK_USER &&
	    split(record, size, layout, &p)) {
		if (p.stack.len > layout->usual_stack &&
		    chain_leaves(&p, layout))
			p.stack.len = layout->usual_stack;
		add_parts(out, &p);
	} else {
		buf_add(out, record, size);
	}
	memcpy(out->p + at + AT_ID, &id, sizeof(id));
	if (layout->times > 1 && layout->sample_type & PERF_SAMPLE_PERIOD)
		multiply_period(out, at, layout->times);
}

/* No CPU, no instruction, an empty chain, and neither registers nor a stack. */
void
sample_layout_add_bare(struct buf *out, const struct sample_ids *ids,
		       uint64_t units, uint64_t sample_type)
{
	struct perf_header h = { PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, 0 };
	const uint32_t tasks[] = { (uint32_t)ids->pid, (uint32_t)ids->tid };
	const size_t at = out->len;

	buf_add(out, &h, sizeof(h));
	add_u64(out, ids->id);
	add_u64(out, 0);
	buf_add(out, tasks, sizeof(tasks));
	add_u64(out, ids->time);
	add_u64(out, 0);
	add_u64(out, units);
	add_u64(out, 0);
	if (sample_type & PERF_SAMPLE_REGS_USER)
		add_u64(out, 0);
	if (sample_type & PERF_SAMPLE_STACK_USER)
		add_u64(out, 0);
	h.size = (uint16_t)(out->len - at);
	memcpy(out->p + at, &h, sizeof(h));
}
