/* keep.c - calls that wait until it is known which of them are slow. */
#include "keep.h"

#include "mem.h"

#include <stdlib.h>

struct kept *
keep_add(struct keep *k, const struct call *c, bool with_cells)
{
	size_t n = with_cells ? c->cells.n : 0;
	struct kept *call;

	k->call = mem_grow(k->call, &k->cap, k->n + 1, sizeof(*k->call));
	k->cell = mem_grow(k->cell, &k->cell_cap, k->ncells + n,
			   sizeof(*k->cell));
	call = &k->call[k->n++];
	*call = (struct kept){ .begin = c->begin,
			       .ns = c->end - c->begin,
			       .tid = c->tid,
			       .waited = c->waited,
			       .wait = c->wait,
			       .samples = c->cells.samples,
			       .n = (uint32_t)n };
	if (k->text.len == 0)
		buf_char(&k->text, '\0');
	if (c->args.len > 0) {
		call->args = k->text.len;
		buf_str(&k->text, buf_slice(&c->args));
		buf_char(&k->text, '\0');
	}
	if (n > 0)
		memcpy(k->cell + k->ncells, c->cells.cell,
		       n * sizeof(*k->cell));
	k->ncells += n;
	return call;
}

struct cells
keep_cells(const struct keep *k, const struct kept *call, size_t *at)
{
	struct cells cells = { .cell = call->n > 0 ? k->cell + *at : NULL,
			       .n = call->n,
			       .samples = call->samples };

	*at += call->n;
	return cells;
}

struct str
keep_args(const struct keep *k, const struct kept *call)
{
	return str_of(k->text.p + call->args);
}

size_t
keep_memory(const struct keep *k)
{
	return k->n * sizeof(*k->call) + k->ncells * sizeof(*k->cell) +
	       k->text.len;
}

static int
compare(const void *a, const void *b)
{
	const struct kept *x = a, *y = b;

	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return (x->tid > y->tid) - (x->tid < y->tid);
}

void
keep_sort(struct keep *k)
{
	if (k->n > 0)
		qsort(k->call, k->n, sizeof(*k->call), compare);
}

void
keep_free(struct keep *k)
{
	free(k->call);
	free(k->cell);
	buf_free(&k->text);
	*k = (struct keep){ 0 };
}
