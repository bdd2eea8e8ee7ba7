/* golang.c - the goroutines of a Go program that no thread runs. */
#include "interp/golang.h"

#include "base/mem.h"
#include "base/peek.h"
#include "interp/golang_find.h"

#include <stdlib.h>

/*
 * Threads have native frames, which a Go program names and unwinds like any
 * other.  A goroutine that waits is on no thread: the runtime has its registers
 * in its struct g, and its stack is memory like any other.
 */

enum {
	MAX_RANGES = 8,
	MAX_REASONS = 64,
	MAX_REASON = 64, /* bytes */
	BATCH = 32,
	STACK = 32768, /* bytes of a stack that are copied */
	MAX_TASKS = 1 << 20
};

/* States of goroutines; a bit says that the collector looks at the stack. */
enum { RUNNABLE = 1, WAITING = 4, COPYSTACK = 8, PREEMPTED = 9, SCAN = 0x1000 };

struct golang {
	struct interp_range data[MAX_RANGES]; /* writable, of the program */
	size_t n;
	struct golang_found found;
	uint64_t searched; /* when, in ns */
	struct buf reason[MAX_REASONS];
	size_t reasons;
	struct interp_copy memory;
	struct buf stacks; /* of a batch */
	struct buf name;
};

/* Goroutines that are read together. */
struct golang_batch {
	uint64_t address[BATCH];
	char before[BATCH][GOLANG_SIZE], after[BATCH][GOLANG_SIZE];
	size_t n;
	size_t length[BATCH]; /* of the copied stacks; 0: it is left out */
};

/* The runtime of Go is in the program, whatever its name. */
static bool
may_be(struct str file)
{
	(void)file;
	return false;
}

/* Add the program's writable data, and memory of zeros that follows it. */
static void
add_data(struct golang *go, const struct interp_target *target, size_t map)
{
	const struct proc_map *m;
	size_t i;

	for (i = map; i < target->n && go->n < MAX_RANGES; i++) {
		m = &target->map[i];
		if (m->prot.len < 2 || m->prot.p[1] != 'w')
			continue;
		if (m->path.len > 0 && str_eq(m->path, target->map[map].path)) {
			go->data[go->n++] = (struct interp_range){ m->start,
								   m->end };
		} else if (m->path.len == 0 && go->n > 0 &&
			   go->data[go->n - 1].end == m->start) {
			go->data[go->n - 1].end = m->end;
		}
	}
}

void *
golang_new(const struct interp_range *data, size_t n)
{
	struct golang *go = mem_zero(1, sizeof(*go));

	for (; go->n < n && go->n < MAX_RANGES; go->n++)
		go->data[go->n] = data[go->n];
	return go;
}

static void *
open_runtime(const struct interp_target *target, size_t map,
	     const struct interp_reader *reader, struct buf *why)
{
	struct golang *go;

	(void)reader;
	(void)why;
	if (!interp_binary_is_go(target, map))
		return NULL;
	go = golang_new(NULL, 0);
	add_data(go, target, map);
	return go;
}

static void
close_runtime(void *runtime)
{
	struct golang *go = runtime;
	size_t i;

	for (i = 0; i < MAX_REASONS; i++)
		buf_free(&go->reason[i]);
	interp_copy_free(&go->memory);
	buf_free(&go->stacks);
	buf_free(&go->name);
	free(go);
}

/* Read the texts of wait reasons, until there is none. */
static void
read_reasons(struct golang *go)
{
	uint64_t string[2]; /* address, length */
	struct buf *text;

	go->reasons = 0;
	while (
	    go->found.reasons != 0 && go->reasons < MAX_REASONS &&
	    interp_copy_read(&go->memory,
			     go->found.reasons + go->reasons * sizeof(string),
			     string, sizeof(string))) {
		text = &go->reason[go->reasons];
		text->len = 0;
		if (string[1] > MAX_REASON ||
		    (string[1] == 0 && go->reasons > 0))
			break;
		buf_reserve(text, MAX_REASON);
		if (string[1] > 0 &&
		    !interp_copy_read(&go->memory, string[0], text->p,
				      (size_t)string[1]))
			break;
		text->len = (size_t)string[1];
		go->reasons++;
	}
}

/* Whether the list is known; if not, search for it once a second. */
static bool
find_list(struct golang *go, uint64_t now)
{
	const uint64_t interval = 1000000000;

	if (go->found.list == 0 &&
	    (go->searched == 0 || now - go->searched > interval)) {
		go->searched = now;
		go->memory.max_reads = SIZE_MAX;
		golang_find(&go->memory, go->data, go->n, &go->found);
		read_reasons(go);
	}
	return go->found.list != 0;
}

static uint32_t
state_of(const struct golang *go, const char *g)
{
	return peek_u32(g, go->found.status) & ~(uint32_t)SCAN;
}

/* Whether a goroutine has a stack that no thread is using. */
static bool
is_suspended(const struct golang *go, const char *g)
{
	const uint32_t state = state_of(go, g);

	return state == RUNNABLE || state == WAITING || state == PREEMPTED;
}

/* How much of the stack to copy; 0 if there is none. */
static size_t
stack_length(const char *g)
{
	const uint64_t sp = peek_u64(g, GOLANG_SP);
	const uint64_t high = peek_u64(g, GOLANG_STACK_HIGH);

	if (sp % 8 != 0 || sp < peek_u64(g, GOLANG_STACK_LOW) || sp >= high)
		return 0;
	return high - sp < STACK ? (size_t)(high - sp) : STACK;
}

static struct iovec
part(uint64_t address, size_t n)
{
	return (struct iovec){ (void *)(uintptr_t)address, n };
}

/* Read what the runtime has of each goroutine in a batch. */
static bool
read_heads(struct golang *go, struct golang_batch *b)
{
	struct iovec to[BATCH], from[BATCH];
	size_t i;

	for (i = 0; i < b->n; i++) {
		to[i] = (struct iovec){ b->before[i], GOLANG_SIZE };
		from[i] = part(b->address[i], GOLANG_SIZE);
	}
	return interp_copy_read_parts(&go->memory, to, from, b->n) ==
	       b->n * GOLANG_SIZE;
}

/* Copy the stacks of suspended goroutines, and read their state again. */
static bool
read_stacks(struct golang *go, struct golang_batch *b)
{
	struct iovec to[2 * BATCH], from[2 * BATCH];
	size_t i, n = 0, all = 0;

	buf_reserve(&go->stacks, (size_t)BATCH * STACK);
	for (i = 0; i < b->n; i++) {
		b->length[i] = is_suspended(go, b->before[i]) ?
				   stack_length(b->before[i]) :
				   0;
		if (b->length[i] == 0)
			continue;
		to[n] = (struct iovec){ go->stacks.p + i * STACK,
					b->length[i] };
		from[n++] = part(peek_u64(b->before[i], GOLANG_SP),
				 b->length[i]);
	}
	for (i = 0; i < b->n; i++) {
		if (b->length[i] == 0)
			continue;
		to[n] = (struct iovec){ b->after[i], GOLANG_SIZE };
		from[n++] = part(b->address[i], GOLANG_SIZE);
	}
	for (i = 0; i < n; i++)
		all += to[i].iov_len;
	return n == 0 ||
	       interp_copy_read_parts(&go->memory, to, from, n) == all;
}

/* Whether a goroutine has been suspended all the time. */
static bool
is_same(const struct golang *go, const char *before, const char *after)
{
	const size_t id = go->found.status + GOLANG_ID;

	return peek_u64(before, GOLANG_SP) == peek_u64(after, GOLANG_SP) &&
	       peek_u64(before, GOLANG_PC) == peek_u64(after, GOLANG_PC) &&
	       peek_u64(before, GOLANG_STACK_HIGH) ==
		   peek_u64(after, GOLANG_STACK_HIGH) &&
	       peek_u64(before, id) == peek_u64(after, id) &&
	       state_of(go, before) == state_of(go, after);
}

static void
report(struct golang *go, const struct golang_batch *b, size_t i,
       const struct interp_task_receiver *receiver)
{
	const char *g = b->before[i];
	const unsigned char reason =
	    (unsigned char)g[go->found.status + GOLANG_REASON];
	struct interp_task task = { .kind = STR("goroutine"),
				    .ready = state_of(go, g) != WAITING,
				    .pc = peek_u64(g, GOLANG_PC),
				    .sp = peek_u64(g, GOLANG_SP),
				    .stack = { go->stacks.p + i * STACK,
					       b->length[i] } };

	if (!task.ready && reason < go->reasons)
		task.wait = buf_slice(&go->reason[reason]);
	go->name.len = 0;
	if (receiver->with_names)
		buf_printf(&go->name, "goroutine %llu",
			   (unsigned long long)peek_u64(g, go->found.status +
							       GOLANG_ID));
	task.name = buf_slice(&go->name);
	receiver->task(receiver->arg, &task);
}

/* Report a batch; returns how many changed meanwhile. */
static size_t
report_batch(struct golang *go, struct golang_batch *b,
	     const struct interp_task_receiver *receiver)
{
	size_t i, unread = 0;

	if (!read_heads(go, b) || !read_stacks(go, b))
		return b->n;
	for (i = 0; i < b->n; i++) {
		if (b->length[i] == 0)
			unread += state_of(go, b->before[i]) == COPYSTACK;
		else if (is_same(go, b->before[i], b->after[i]))
			report(go, b, i, receiver);
		else
			unread++;
	}
	return unread;
}

static size_t
report_tasks(void *runtime, const struct interp_reader *reader,
	     struct interp_functions *functions, uint64_t now,
	     const struct interp_task_receiver *receiver)
{
	struct golang *go = runtime;
	struct golang_batch b;
	uint64_t slice[2], i; /* address, length */
	size_t unread = 0;

	(void)functions;
	interp_copy_begin(&go->memory, reader, NULL, NULL, NULL, 0);
	go->memory.max_reads = SIZE_MAX;
	if (!find_list(go, now) ||
	    !interp_copy_read(&go->memory, go->found.list, slice,
			      sizeof(slice)))
		return 0;
	for (i = 0; i < slice[1] && i < MAX_TASKS; i += b.n) {
		b.n = slice[1] - i < BATCH ? (size_t)(slice[1] - i) : BATCH;
		if (!interp_copy_read(&go->memory, slice[0] + i * 8, b.address,
				      b.n * 8))
			break;
		unread += report_batch(go, &b, receiver);
	}
	return unread;
}

const struct interp_language golang_language = { .may_be = may_be,
						 .open = open_runtime,
						 .close = close_runtime,
						 .report_tasks = report_tasks };
