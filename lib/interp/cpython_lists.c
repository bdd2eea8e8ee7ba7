/* cpython_lists.c - the lists that asyncio keeps of its tasks, from 3.14 on. */
#include "interp/cpython_lists.h"

#include "base/mem.h"
#include "base/peek.h"

enum {
	TOGETHER = 64, /* nodes that are read by one call */
	SKIPPED = 16   /* tasks at most that have ended since the last time */
};

/* struct llist_node */
enum { NODE_NEXT = 0, NODE_PREVIOUS = 8, NODE_BYTES = 16 };

bool
cpython_lists_parse(struct cpython_lists *l, const char *bytes)
{
	/* Word numbers of the fields. */
	enum { TASK_SIZE = 0, NODE = 6, INTERPRETER_SIZE = 7, THREAD_SIZE = 9 };
	const uint64_t task_size = peek_u64(bytes, TASK_SIZE * 8);
	const uint64_t node = peek_u64(bytes, NODE * 8);
	const uint64_t interpreter_size = peek_u64(bytes, INTERPRETER_SIZE * 8);
	const uint64_t interpreter = peek_u64(bytes, INTERPRETER_SIZE * 8 + 8);
	const uint64_t thread_size = peek_u64(bytes, THREAD_SIZE * 8);
	const uint64_t thread = peek_u64(bytes, THREAD_SIZE * 8 + 24);
	const uint64_t limit = 1 << 20;

	if (task_size > limit || interpreter_size > limit ||
	    thread_size > limit || node >= task_size || node % 8 != 0 ||
	    interpreter >= interpreter_size || interpreter % 8 != 0 ||
	    thread >= thread_size || thread % 8 != 0)
		return false;
	*l = (struct cpython_lists){ .interpreter = (uint32_t)interpreter,
				     .thread = (uint32_t)thread,
				     .node = (uint32_t)node };
	return true;
}

bool
cpython_lists_find(struct cpython_lists *l, const struct interp_target *target,
		   size_t map, const struct interp_reader *reader)
{
	struct interp_copy memory = { 0 };
	const uint64_t address = interp_binary_section(
	    target, map, STR(".AsyncioDebug"), CPYTHON_LISTS_BYTES);
	char bytes[CPYTHON_LISTS_BYTES];
	bool ok;

	if (address == 0)
		return false;
	interp_copy_begin(&memory, reader, NULL, NULL, NULL, 0);
	ok = interp_copy_read(&memory, address, bytes, sizeof(bytes)) &&
	     cpython_lists_parse(l, bytes);
	interp_copy_free(&memory);
	return ok;
}

/* A walk from node to node. */
struct list_walk {
	struct interp_copy *memory;
	uint32_t node; /* offset in a task */
	const struct cpython_addresses *last;
	size_t guess; /* number in last of the task that may be next */
	/* The nodes that were read together, of which at is the next one. */
	uint64_t address[TOGETHER];
	char bytes[TOGETHER][NODE_BYTES];
	size_t n, at;
};

/* Find the node of a task of the last time, and guess those after it. */
static void
guess_nodes(struct list_walk *w, uint64_t node)
{
	const struct cpython_addresses *last = w->last;
	size_t i, end = w->guess + SKIPPED;

	w->address[0] = node;
	w->n = 1;
	for (i = w->guess; i < end && i < last->n; i++) {
		if (last->address[i] + w->node != node)
			continue;
		for (i++; i < last->n && w->n < TOGETHER; i++)
			w->address[w->n++] = last->address[i] + w->node;
		w->guess = i;
		return;
	}
}

/* Read a node, and with it those that may follow. */
static bool
read_node(struct list_walk *w, uint64_t node, uint64_t *next,
	  uint64_t *previous)
{
	struct iovec to[TOGETHER], from[TOGETHER];
	size_t i;

	if (w->at == w->n || w->address[w->at] != node) {
		if (w->memory->reads >= w->memory->max_reads)
			return false;
		guess_nodes(w, node);
		for (i = 0; i < w->n; i++) {
			to[i] = (struct iovec){ w->bytes[i], NODE_BYTES };
			from[i].iov_base = (void *)(uintptr_t)w->address[i];
			from[i].iov_len = NODE_BYTES;
		}
		w->n = interp_copy_read_parts(w->memory, to, from, w->n) /
		       NODE_BYTES;
		w->at = 0;
	}
	if (w->at == w->n)
		return false;
	*next = peek_u64(w->bytes[w->at], NODE_NEXT);
	*previous = peek_u64(w->bytes[w->at], NODE_PREVIOUS);
	w->at++;
	return true;
}

bool
cpython_lists_read(const struct cpython_lists *l, struct interp_copy *memory,
		   uint64_t head, const struct cpython_addresses *last,
		   struct cpython_addresses *tasks, size_t most)
{
	struct list_walk w = { .memory = memory,
			       .node = l->node,
			       .last = last };
	uint64_t at, before = head, next, previous;

	if (!interp_copy_read(memory, head + NODE_NEXT, &at, sizeof(at)))
		return false;
	for (w.guess = tasks->n; at != head; before = at, at = next) {
		/* A node that was taken from the list has no neighbours. */
		if (tasks->n == most || at % 8 != 0 ||
		    !read_node(&w, at, &next, &previous) || previous != before)
			return false;
		tasks->address = mem_grow(tasks->address, &tasks->cap,
					  tasks->n + 1,
					  sizeof(*tasks->address));
		tasks->address[tasks->n++] = at - l->node;
	}
	return true;
}
