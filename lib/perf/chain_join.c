/* chain_join.c - a copied stack that goes on as a chain of frame pointers. */
#include "perf/chain_join.h"

#include "base/mem.h"
#include "unwind/unwind_record.h"

#include <stdlib.h>
#include <string.h>

void
chain_join_free(struct chain_join *j)
{
	free(j->pointer);
}

static bool
load(const struct unwind_thread *t, uint64_t address, uint64_t *n)
{
	const uint64_t offset = address - t->stack_start;

	if (offset >= t->stack.len || sizeof(*n) > t->stack.len - offset)
		return false;
	memcpy(n, t->stack.p + offset, sizeof(*n));
	return true;
}

/*
 * Follow the frame pointers through the copy: number k of the chain was read
 * from the record at pointer k - 1.  The kernel follows falling ones as well.
 */
static void
walk(struct chain_join *j, const struct unwind_thread *t, size_t length)
{
	uint64_t fp = t->registers.value[t->arch->fp], last;

	j->n = 0;
	do {
		j->pointer = mem_grow(j->pointer, &j->cap, j->n + 1,
				      sizeof(*j->pointer));
		j->pointer[j->n++] = last = fp;
	} while (j->n < length &&
		 load(t, last + (uint64_t)t->arch->frame.fp, &fp) && fp > last);
}

static size_t
find_pointer(const struct chain_join *j, uint64_t fp)
{
	size_t low = 0, high = j->n, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (j->pointer[mid] < fp)
			low = mid + 1;
		else
			high = mid;
	}
	return low < j->n && j->pointer[low] == fp ? low : j->n;
}

/* Whether a function has a record; JIT code and Go have no table of it. */
static bool
has_record(enum unwind_record record)
{
	return record == UNWIND_RECORD_OWN || record == UNWIND_RECORD_UNKNOWN;
}

/* The number of the chain that returns to the caller of a frame; 0: none. */
static size_t
caller_of(const struct chain_join *j, struct unwind *u,
	  const struct unwind_thread *t, const struct unwind_frame *frame,
	  const uint64_t *chain, size_t length, bool is_last)
{
	size_t k;

	if (!frame->knows_fp ||
	    !has_record(unwind_record(u, t, frame->pc, frame->exact)))
		return 0;
	k = find_pointer(j, frame->fp);
	if (k == j->n || k + 1 >= length)
		return 0;
	return is_last || frame[1].pc == chain[k + 1] ? k + 1 : 0;
}

/* Take as much of the chain as follows from one record to the next. */
static void
take_chain(struct chain_join_stack *s, struct unwind *u,
	   const struct unwind_thread *t, const uint64_t *chain, size_t length)
{
	enum unwind_record record;

	for (s->end = s->first; s->end < length;) {
		record = unwind_record(u, t, chain[s->end++], false);
		if (has_record(record))
			continue;
		s->truncated = record != UNWIND_RECORD_ROOT;
		return;
	}
}

struct chain_join_stack
chain_join(struct chain_join *j, struct unwind *u,
	   const struct unwind_thread *thread,
	   const struct unwind_frame *frames, size_t n, const uint64_t *chain,
	   size_t length)
{
	const struct chain_join_stack copy = { .keep = n, .truncated = true };
	struct chain_join_stack s = { 0 };
	size_t i;

	if (!arch_knows(&thread->registers, thread->arch->fp))
		return copy;
	walk(j, thread, length);
	for (i = n; i > 0 && s.first == 0; i--) {
		s.keep = i;
		s.first = caller_of(j, u, thread, &frames[i - 1], chain, length,
				    i == n);
	}
	if (s.first == 0)
		return copy;
	s.joined = true;
	take_chain(&s, u, thread, chain, length);
	/* The tables may know more frames than have records. */
	return s.truncated && s.keep + (s.end - s.first) <= n ? copy : s;
}
