/* partition.c - a profile in named parts. */
#include "split/partition.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "folded/fold.h"
#include "folded/stack.h"

#include <err.h>
#include <stdlib.h>

uint32_t
partition_new(struct partition *p, struct str name)
{
	struct profile_part *part;

	p->part = mem_grow(p->part, &p->cap, p->n + 1, sizeof(*p->part));
	part = &p->part[p->n];
	*part = (struct profile_part){ .target = (uint32_t)p->n };
	buf_str(&part->name, name);
	return (uint32_t)p->n++;
}

void
partition_add(struct partition *p, uint32_t part, uint32_t stack,
	      struct count count)
{
	struct profile_part *to = &p->part[part];

	stack_counts_add(&to->counts, stack, count);
	to->weight += count_double(count);
}

void
partition_add_counts(struct partition *p, uint32_t part,
		     const struct stack_counts *c)
{
	size_t i;

	for (i = 0; i < c->n; i++)
		partition_add(p, part, c->item[i].stack,
			      stack_counts_count(&c->item[i]));
	p->part[part].samples += c->samples;
}

void
partition_join(struct partition *p, uint32_t part, uint32_t target)
{
	struct profile_part *from = &p->part[part], *to = &p->part[target];

	from->target = target;
	to->samples += from->samples;
	to->calls += from->calls;
	to->ns += from->ns;
	to->weight += from->weight;
}

/* If the mean equals the greatest common divisor, so does every count. */
uint64_t
partition_quantum(const struct partition *p, uint32_t part)
{
	const struct stack_counts *c;
	uint64_t gcd = 0;
	size_t i, k;

	for (i = 0; i < p->n; i++) {
		c = &p->part[i].counts;
		for (k = 0; p->part[i].target == part && k < c->n; k++) {
			if (c->item[k].micro > 0)
				return 0;
			gcd = count_gcd(gcd, c->item[k].units);
		}
	}
	return p->part[part].weight ==
		       (double)gcd * (double)p->part[part].samples ?
		   gcd :
		   0;
}

struct partition_writer {
	struct fold *fold;
	struct stack stack;
	struct buf text; /* cleaned name or stack */
	uint32_t *id;    /* frames of a line */
	size_t cap;
};

/*
 * A name or a stack as it may start a line of folded text; valid until the next
 * call.
 */
static struct str
clean(struct partition_writer *w, struct str s)
{
	w->text.len = 0;
	if (s.len > 0 && *s.p == '#') {
		buf_str(&w->text, STR("\\x23"));
		s = str_skip(s, 1);
	}
	utf8_escape(&w->text, s);
	return buf_slice(&w->text);
}

/* Add a stack, below the root if its name is not empty. */
static void
add_line(struct partition_writer *w, struct str root, struct str stack,
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
finish(struct partition_writer *w, FILE *out)
{
	if (!fold_fits(w->fold))
		errx(2, "the counts of a stack add up to more than 64 bits");
	fold_write(w->fold, count_of(0), out);
	fold_free(w->fold);
	stack_free(&w->stack);
	buf_free(&w->text);
	free(w->id);
}

/* Add the stacks of a part to one column. */
static void
add_part(struct partition_writer *w, const struct profile_part *p,
	 struct str root, const struct intern *stacks, int column)
{
	struct count count[2] = { { 0, 0 }, { 0, 0 } };
	const struct stack_count *c;
	size_t i;

	for (i = 0; i < p->counts.n; i++) {
		c = &p->counts.item[i];
		count[column] = stack_counts_count(c);
		add_line(w, root, intern_name(stacks, c->stack), count);
	}
}

void
partition_write(const struct partition *p, const struct intern *stacks,
		FILE *out)
{
	struct partition_writer w = { .fold = fold_new(1) };
	size_t i;

	for (i = 0; i < p->n; i++)
		add_part(&w, &p->part[i],
			 buf_slice(&p->part[p->part[i].target].name), stacks,
			 0);
	finish(&w, out);
}

void
partition_write_one(const struct partition *p, const struct intern *stacks,
		    uint32_t part, FILE *out)
{
	struct partition_writer w = { .fold = fold_new(1) };
	size_t i;

	for (i = 0; i < p->n; i++) {
		if (p->part[i].target == part)
			add_part(&w, &p->part[i], STR(""), stacks, 0);
	}
	finish(&w, out);
}

void
partition_write_two(const struct partition *p, const struct intern *stacks,
		    uint32_t before, uint32_t after, FILE *out)
{
	struct partition_writer w = { .fold = fold_new(2) };
	size_t i;

	for (i = 0; i < p->n; i++) {
		if (p->part[i].target == before || p->part[i].target == after)
			add_part(&w, &p->part[i], STR(""), stacks,
				 p->part[i].target == after);
	}
	finish(&w, out);
}

void
partition_free(struct partition *p)
{
	size_t i;

	for (i = 0; i < p->n; i++) {
		buf_free(&p->part[i].name);
		stack_counts_free(&p->part[i].counts);
	}
	free(p->part);
	*p = (struct partition){ 0 };
}
