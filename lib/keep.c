/* keep.c - calls that wait until it is known which of them are slow. */
#include "keep.h"

#include "mem.h"

#include <stdlib.h>

static void
add_detail(struct keep *k, const struct call *c)
{
	struct kept_detail *d;

	k->detail = mem_grow(k->detail, &k->detail_cap, k->n + 1,
			     sizeof(*k->detail));
	d = &k->detail[k->n];
	*d = (struct kept_detail){ .begin = c->begin,
				   .tid = c->tid,
				   .waited = c->waited,
				   .wait = c->wait,
				   .stack = c->stack,
				   .call = k->n,
				   .args = k->text.len };
	buf_str(&k->text, buf_slice(&c->args));
	buf_char(&k->text, '\0');
}

struct kept *
keep_add(struct keep *k, const struct call *c, bool with_cells)
{
	size_t n = with_cells ? c->cells.n : 0;
	struct kept *call;

	if (k->detailed)
		add_detail(k, c);
	k->call = mem_grow(k->call, &k->cap, k->n + 1, sizeof(*k->call));
	k->cell = mem_grow(k->cell, &k->cell_cap, k->ncells + n,
			   sizeof(*k->cell));
	call = &k->call[k->n++];
	*call = (struct kept){ .ns = c->end - c->begin,
			       .samples = c->cells.samples,
			       .n = (uint32_t)n };
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
keep_args(const struct keep *k, const struct kept_detail *d)
{
	return str_of(k->text.p + d->args);
}

size_t
keep_memory(const struct keep *k)
{
	size_t each = sizeof(*k->call) + (k->detailed ? sizeof(*k->detail) : 0);

	return k->n * each + k->ncells * sizeof(*k->cell) + k->text.len;
}

static int
compare(const void *a, const void *b)
{
	const struct kept_detail *x = a, *y = b;

	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return (x->tid > y->tid) - (x->tid < y->tid);
}

void
keep_sort(struct keep *k)
{
	if (k->detail != NULL)
		qsort(k->detail, k->n, sizeof(*k->detail), compare);
}

void
keep_free(struct keep *k)
{
	free(k->call);
	free(k->detail);
	free(k->cell);
	buf_free(&k->text);
	*k = (struct keep){ 0 };
}
