/* parts.c - a profile in parts: what was sampled in each. */
#include "parts.h"

#include "fold.h"
#include "mem.h"
#include "stack.h"
#include "utf8.h"

#include <err.h>
#include <stdlib.h>

uint32_t
parts_new(struct parts *p, struct str name)
{
	struct part *part;

	p->part = mem_grow(p->part, &p->cap, p->n + 1, sizeof(*p->part));
	part = &p->part[p->n];
	*part = (struct part){ .into = (uint32_t)p->n };
	buf_str(&part->name, name);
	return (uint32_t)p->n++;
}

void
parts_add(struct parts *p, uint32_t part, uint32_t stack, struct count count)
{
	struct part *to = &p->part[part];

	cells_add(&to->cells, stack, count);
	to->weight += count_double(count);
}

void
parts_add_cells(struct parts *p, uint32_t part, const struct cells *c)
{
	size_t i;

	for (i = 0; i < c->n; i++)
		parts_add(p, part, c->cell[i].stack, cell_count(&c->cell[i]));
	p->part[part].samples += c->samples;
}

void
parts_join(struct parts *p, uint32_t part, uint32_t into)
{
	struct part *from = &p->part[part], *to = &p->part[into];

	from->into = into;
	to->samples += from->samples;
	to->calls += from->calls;
	to->ns += from->ns;
	to->weight += from->weight;
}

/* If the mean is what all counts are multiples of, they are all that. */
uint64_t
parts_quantum(const struct parts *p, uint32_t part)
{
	const struct cells *c;
	uint64_t gcd = 0;
	size_t i, k;

	for (i = 0; i < p->n; i++) {
		c = &p->part[i].cells;
		for (k = 0; p->part[i].into == part && k < c->n; k++) {
			if (c->cell[k].micro > 0)
				return 0;
			gcd = count_gcd(gcd, c->cell[k].units);
		}
	}
	return p->part[part].weight ==
		       (double)gcd * (double)p->part[part].samples ?
		   gcd :
		   0;
}

/* Writing. */

struct writer {
	struct fold *fold;
	struct stack stack;
	struct buf text; /* clean */
	uint32_t *id;    /* of a line */
	size_t cap;
};

/* A name or a stack as it may stand at the beginning of a line. */
static struct str
clean(struct writer *w, struct str s)
{
	w->text.len = 0;
	if (s.len > 0 && *s.p == '#') {
		buf_str(&w->text, STR("\\x23"));
		s = str_skip(s, 1);
	}
	utf8_escape(&w->text, s);
	return buf_slice(&w->text);
}

/* Add a stack, behind a root if that has a name. */
static void
add_line(struct writer *w, struct str root, struct str stack,
	 const struct count *count)
{
	struct intern *names = fold_names(w->fold);
	size_t n = root.len > 0;

	stack_split(&w->stack, names, clean(w, stack));
	w->id = mem_grow(w->id, &w->cap, w->stack.n + 1, sizeof(*w->id));
	if (root.len > 0)
		w->id[0] = intern_id(names, clean(w, root));
	memcpy(w->id + n, w->stack.id, w->stack.n * sizeof(*w->id));
	fold_add(w->fold, w->id, n + w->stack.n, count);
}

static void
finish(struct writer *w, FILE *out)
{
	if (!fold_fits(w->fold))
		errx(2, "the counts of a stack add up to more than 64 bits");
	fold_write(w->fold, count_of(0), out);
	fold_free(w->fold);
	stack_free(&w->stack);
	buf_free(&w->text);
	free(w->id);
}

/* The stacks of a part, in one of the columns. */
static void
add_part(struct writer *w, const struct part *p, struct str root,
	 const struct intern *stacks, int column)
{
	struct count count[2] = { { 0, 0 }, { 0, 0 } };
	const struct cell *c;
	size_t i;

	for (i = 0; i < p->cells.n; i++) {
		c = &p->cells.cell[i];
		count[column] = cell_count(c);
		add_line(w, root, intern_name(stacks, c->stack), count);
	}
}

void
parts_write(const struct parts *p, const struct intern *stacks, FILE *out)
{
	struct writer w = { .fold = fold_new(1) };
	size_t i;

	for (i = 0; i < p->n; i++)
		add_part(&w, &p->part[i],
			 buf_slice(&p->part[p->part[i].into].name), stacks, 0);
	finish(&w, out);
}

void
parts_write_one(const struct parts *p, const struct intern *stacks,
		uint32_t part, FILE *out)
{
	struct writer w = { .fold = fold_new(1) };
	size_t i;

	for (i = 0; i < p->n; i++) {
		if (p->part[i].into == part)
			add_part(&w, &p->part[i], STR(""), stacks, 0);
	}
	finish(&w, out);
}

void
parts_write_two(const struct parts *p, const struct intern *stacks,
		uint32_t before, uint32_t after, FILE *out)
{
	struct writer w = { .fold = fold_new(2) };
	size_t i;

	for (i = 0; i < p->n; i++) {
		if (p->part[i].into == before || p->part[i].into == after)
			add_part(&w, &p->part[i], STR(""), stacks,
				 p->part[i].into == after);
	}
	finish(&w, out);
}

void
parts_free(struct parts *p)
{
	size_t i;

	for (i = 0; i < p->n; i++) {
		buf_free(&p->part[i].name);
		cells_free(&p->part[i].cells);
	}
	free(p->part);
	*p = (struct parts){ 0 };
}
