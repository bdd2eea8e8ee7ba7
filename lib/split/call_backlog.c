/* call_backlog.c - calls that wait until the threshold of slow ones is set. */
#include "split/call_backlog.h"

#include "base/mem.h"

#include <stdlib.h>

static void
add_detail(struct call_backlog *b, const struct timed_call *call)
{
	struct backlog_detail *d;

	b->detail = mem_grow(b->detail, &b->detail_cap, b->n + 1,
			     sizeof(*b->detail));
	d = &b->detail[b->n];
	*d = (struct backlog_detail){ .begin = call->begin,
				      .tid = call->tid,
				      .longest_wait = call->longest_wait,
				      .wait_stack = call->wait_stack,
				      .entry_stack = call->entry_stack,
				      .call = b->n,
				      .args = b->text.len };
	buf_str(&b->text, buf_slice(&call->args));
	buf_char(&b->text, '\0');
}

struct backlog_call *
call_backlog_add(struct call_backlog *b, const struct timed_call *call,
		 bool with_counts)
{
	size_t n = with_counts ? call->counts.n : 0;
	struct backlog_call *copy;

	if (b->detailed)
		add_detail(b, call);
	b->call = mem_grow(b->call, &b->cap, b->n + 1, sizeof(*b->call));
	b->count = mem_grow(b->count, &b->count_cap, b->ncounts + n,
			    sizeof(*b->count));
	copy = &b->call[b->n++];
	*copy = (struct backlog_call){ .ns = call->end - call->begin,
				       .samples = call->counts.samples,
				       .n = (uint32_t)n };
	if (n > 0)
		memcpy(b->count + b->ncounts, call->counts.item,
		       n * sizeof(*b->count));
	b->ncounts += n;
	return copy;
}

struct stack_counts
call_backlog_counts(const struct call_backlog *b,
		    const struct backlog_call *call, size_t *at)
{
	struct stack_counts counts = { .item = call->n > 0 ? b->count + *at :
							     NULL,
				       .n = call->n,
				       .samples = call->samples };

	*at += call->n;
	return counts;
}

struct str
call_backlog_args(const struct call_backlog *b, const struct backlog_detail *d)
{
	return str_of(b->text.p + d->args);
}

size_t
call_backlog_memory(const struct call_backlog *b)
{
	size_t each = sizeof(*b->call) + (b->detailed ? sizeof(*b->detail) : 0);

	return b->n * each + b->ncounts * sizeof(*b->count) + b->text.len;
}

static int
by_begin(const void *a, const void *b)
{
	const struct backlog_detail *x = a, *y = b;

	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return (x->tid > y->tid) - (x->tid < y->tid);
}

void
call_backlog_sort(struct call_backlog *b)
{
	if (b->detail != NULL)
		qsort(b->detail, b->n, sizeof(*b->detail), by_begin);
}

void
call_backlog_free(struct call_backlog *b)
{
	free(b->call);
	free(b->detail);
	free(b->count);
	buf_free(&b->text);
	*b = (struct call_backlog){ 0 };
}
