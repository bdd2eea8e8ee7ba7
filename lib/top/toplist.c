/* toplist.c - the functions or stacks with the most weight, by class. */
#include "top/toplist.h"

#include "base/mem.h"

#include <stdlib.h>

/* Rows of a class with a stable order; later rows are sorted by weight. */
#define STABLE_ORDER_ROWS 1000

static double
value(const struct toprow *r, bool by_total)
{
	return by_total ? r->total : r->self;
}

static void
add_row(struct toplist *l, struct toprow row)
{
	l->row = mem_grow(l->row, &l->cap, l->n + 1, sizeof(*l->row));
	l->row[l->n++] = row;
}

static void
add_functions(struct toplist *l, const struct thread_activity *a,
	      const struct toplist_query *q, enum wait_class class)
{
	const uint32_t n = intern_size(a->function);
	struct toprow row = { .class = class };
	uint32_t i;

	for (i = 0; i < n; i++) {
		row.id = i;
		row.self = a->self[class][i];
		row.total = a->total[class][i];
		/* A function that matches is listed even if self is 0. */
		if (q->wanted == NULL ? value(&row, q->by_total) > 0 :
					q->wanted[i] && row.total > 0)
			add_row(l, row);
	}
}

static void
add_stacks(struct toplist *l, const struct thread_activity *a,
	   const struct toplist_query *q, enum wait_class class)
{
	uint32_t i;

	for (i = 1; i < a->frames; i++) {
		if (a->weight[i] > 0 && a->class[i] == class &&
		    (q->wanted == NULL || q->wanted[i]))
			add_row(l, (struct toprow){ class, i, a->weight[i],
						    a->weight[i] });
	}
}

static int
by_samples(const void *a, const void *b)
{
	const struct stable_order_item *x = a, *y = b;

	if (x->samples != y->samples)
		return x->samples < y->samples ? 1 : -1;
	return (x->key > y->key) - (x->key < y->key);
}

/* Sort the rows of a class, which start at first. */
static void
order_rows(struct toplist *l, const struct toplist_query *q,
	   enum wait_class class, size_t first)
{
	size_t i, n = l->n - first;
	struct stable_order_item *item = mem_zero(n + 1, sizeof(*item));
	struct toprow *ordered = mem_zero(n + 1, sizeof(*ordered));

	for (i = 0; i < n; i++)
		item[i] = (struct stable_order_item){
			l->row[first + i].id,
			value(&l->row[first + i], q->by_total) / q->per_sample,
			(uint32_t)i
		};
	qsort(item, n, sizeof(*item), by_samples);
	stable_order_sort(&l->order[class], item,
			  n < STABLE_ORDER_ROWS ? n : STABLE_ORDER_ROWS);
	for (i = 0; i < n; i++)
		ordered[i] = l->row[first + item[i].index];
	memcpy(l->row + first, ordered, n * sizeof(*ordered));
	free(ordered);
	free(item);
}

void
toplist_fill(struct toplist *l, const struct thread_activity *a,
	     const struct toplist_query *q)
{
	enum wait_class class;
	size_t first;

	l->n = 0;
	for (class = WAIT_NONE; class < WAIT_CLASSES; class ++) {
		if (!a->shown[class])
			continue;
		first = l->n;
		if (q->stacks)
			add_stacks(l, a, q, class);
		else
			add_functions(l, a, q, class);
		if (l->n > first)
			order_rows(l, q, class, first);
	}
}

/* The class whose next row has the most weight. */
static enum wait_class
next_class(const struct toplist *l, bool by_total, const size_t *begin,
	   const size_t *class_rows, const size_t *kept)
{
	enum wait_class best = WAIT_CLASSES, c;
	double most = -1, v;

	for (c = WAIT_NONE; c < WAIT_CLASSES; c++) {
		if (kept[c] == class_rows[c])
			continue;
		if (kept[c] < TOPLIST_MIN_ROWS)
			return c;
		v = value(&l->row[begin[c] + kept[c]], by_total);
		if (v > most) {
			most = v;
			best = c;
		}
	}
	return best;
}

void
toplist_fit(struct toplist *l, size_t rows, bool by_total,
	    size_t class_rows[WAIT_CLASSES])
{
	size_t begin[WAIT_CLASSES] = { 0 }, kept[WAIT_CLASSES] = { 0 }, i, n;
	enum wait_class c;

	memset(class_rows, 0, WAIT_CLASSES * sizeof(*class_rows));
	for (i = l->n; i > 0; i--) {
		c = l->row[i - 1].class;
		class_rows[c]++;
		begin[c] = i - 1;
	}
	if (l->n <= rows)
		return;
	for (i = 0; i < rows; i++)
		kept[next_class(l, by_total, begin, class_rows, kept)]++;
	for (c = WAIT_NONE, n = 0; c < WAIT_CLASSES; c++) {
		memmove(l->row + n, l->row + begin[c],
			kept[c] * sizeof(*l->row));
		n += kept[c];
	}
	l->n = n;
}

void
toplist_forget(struct toplist *l)
{
	int c;

	for (c = 0; c < WAIT_CLASSES; c++)
		stable_order_forget(&l->order[c]);
}

void
toplist_free(struct toplist *l)
{
	int c;

	for (c = 0; c < WAIT_CLASSES; c++)
		stable_order_free(&l->order[c]);
	free(l->row);
}
