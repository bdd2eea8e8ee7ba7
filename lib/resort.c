/* resort.c - folded text on its way through a filter that changes stacks. */
#include "resort.h"

#include "mem.h"

#include <err.h>
#include <stdlib.h>

struct entry {
	size_t at, len; /* of the stack in text */
	struct count count[2];
	int counts;
};

struct resort {
	FILE *out;
	struct buf line; /* not yet written */
	struct buf was;  /* the last stack as it was read */
	bool in_order;   /* so far, and held */

	/* What is held. */
	size_t enough; /* stacks, to look which of them are due */
	struct buf text, rest;
	struct entry *entry, *spare;
	size_t n, cap, spare_cap;
	size_t *run; /* where stacks begin that are in order */
	size_t runs, run_cap;
};

struct resort *
resort_new(FILE *out)
{
	struct resort *r = mem_zero(1, sizeof(*r));

	r->out = out;
	r->in_order = true;
	r->enough = 1;
	return r;
}

void
resort_free(struct resort *r)
{
	if (r == NULL)
		return;
	buf_free(&r->line);
	buf_free(&r->was);
	buf_free(&r->text);
	buf_free(&r->rest);
	free(r->entry);
	free(r->spare);
	free(r->run);
	free(r);
}

static struct str
stack_of(const struct resort *r, const struct entry *e)
{
	return (struct str){ r->text.p + e->at, e->len };
}

static void
begin_run(struct resort *r)
{
	r->run = mem_grow(r->run, &r->run_cap, r->runs + 2, sizeof(*r->run));
	r->run[r->runs++] = r->n;
}

static void
hold(struct resort *r, struct str stack, const struct count *count, int counts)
{
	struct entry *e;

	if (r->n == 0 || str_cmp(stack_of(r, &r->entry[r->n - 1]), stack) > 0)
		begin_run(r);
	r->entry = mem_grow(r->entry, &r->cap, r->n + 1, sizeof(*r->entry));
	e = &r->entry[r->n++];
	*e = (struct entry){
		r->text.len, stack.len, { count[0], count[1] }, counts
	};
	buf_str(&r->text, stack);
}

/* Merge the runs from a to b and from b to c. */
static void
merge_two(const struct resort *r, struct entry *to, size_t a, size_t b,
	  size_t c)
{
	size_t i = a, j = b;
	bool first;

	for (to += a; a < c; a++) {
		first = i < b &&
			(j == c || str_cmp(stack_of(r, &r->entry[i]),
					   stack_of(r, &r->entry[j])) <= 0);
		*to++ = first ? r->entry[i++] : r->entry[j++];
	}
}

/* Merge each run with its neighbour, until there is one. */
static void
merge_all(struct resort *r)
{
	struct entry *merged;
	size_t i, n;

	if (r->runs > 1)
		r->spare = mem_grow(r->spare, &r->spare_cap, r->cap,
				    sizeof(*r->spare));
	while (r->runs > 1) {
		r->run[r->runs] = r->n;
		for (i = n = 0; i < r->runs; i += 2, n++) {
			merge_two(r, r->spare, r->run[i], r->run[i + 1],
				  i + 2 <= r->runs ? r->run[i + 2] : r->n);
			r->run[n] = r->run[i];
		}
		r->runs = n;
		merged = r->spare;
		r->spare = r->entry;
		r->entry = merged;
		n = r->spare_cap;
		r->spare_cap = r->cap;
		r->cap = n;
	}
}

/* Writing. */

static void
print(struct resort *r, struct str stack, const struct count *count, int counts)
{
	struct buf *line = &r->line;
	int i;

	buf_str(line, stack);
	for (i = 0; i < counts; i++) {
		buf_char(line, ' ');
		count_print(line, count[i]);
	}
	buf_char(line, '\n');
	if (line->len >= (size_t)1 << 16)
		buf_write(line, r->out);
}

static void
add_counts(struct entry *e, const struct entry *same)
{
	if (!count_add(&e->count[0], same->count[0]) ||
	    !count_add(&e->count[1], same->count[1]))
		errx(2, "the counts of a stack add up to more than 64 bits");
}

/*
 * Write what is held and sorts before a limit, or all of it if there is none;
 * returns how many entries that was.
 */
static size_t
write_before(struct resort *r, const struct str *limit)
{
	struct entry *e;
	size_t i;

	merge_all(r);
	for (i = 0; i < r->n;) {
		e = &r->entry[i];
		if (limit != NULL && str_cmp(stack_of(r, e), *limit) >= 0)
			break;
		for (i++; i < r->n &&
			  str_eq(stack_of(r, e), stack_of(r, &r->entry[i]));
		     i++)
			add_counts(e, &r->entry[i]);
		print(r, stack_of(r, e), e->count, e->counts);
	}
	return i;
}

/*
 * What all stacks to come begin with, or sort behind, however their frames
 * that begin with a bracket are changed.  A sorted stack behind this one is
 * like it up to a frame where it is greater; if it has a bracket there, this
 * one has a smaller byte, or a bracket as well.
 */
static struct str
settled(struct str stack)
{
	struct str rest = stack;
	const char *p;

	while (*rest.p > '[' || (unsigned char)*rest.p >= 0x80) {
		p = str_find(rest, ';');
		if (p == NULL)
			return stack;
		rest = str_range(p + 1, stack.p + stack.len);
		if (rest.len == 0)
			return stack;
	}
	return str_range(stack.p, rest.p);
}

/* Write what is due. */
static void
settle(struct resort *r, struct str limit)
{
	size_t i = write_before(r, &limit), n = r->n;
	struct buf text = r->text;
	struct entry e;

	r->rest.len = 0;
	for (r->n = 0; i < n; i++) {
		e = r->entry[i];
		buf_add(&r->rest, text.p + e.at, e.len);
		e.at = r->rest.len - e.len;
		r->entry[r->n++] = e;
	}
	r->text = r->rest;
	r->rest = text;
	if (r->n == 0)
		r->runs = 0;
	r->enough = 2 * r->n + 1;
}

/* Write what is held, and begin a profile that may be in order. */
static void
flush(struct resort *r)
{
	write_before(r, NULL);
	r->n = r->runs = r->text.len = r->was.len = 0;
	r->enough = 1;
	r->in_order = true;
}

/* What comes now is written as it comes. */
static void
pass_on(struct resort *r)
{
	if (r->in_order)
		flush(r);
	r->in_order = false;
}

void
resort_begin(struct resort *r)
{
	r->was.len = 0;
}

void
resort_stack(struct resort *r, struct str was, struct str stack,
	     const struct count *count, int counts)
{
	if (r->in_order && str_cmp(buf_slice(&r->was), was) > 0)
		pass_on(r);
	if (!r->in_order) {
		print(r, stack, count, counts);
		return;
	}
	r->was.len = 0;
	buf_str(&r->was, was);
	if (r->n >= r->enough)
		settle(r, settled(was));
	hold(r, stack, count, counts);
}

void
resort_meta(struct resort *r, struct str line, bool is_header)
{
	if (is_header)
		flush(r);
	else
		pass_on(r); /* a sample of a stream */
	buf_str(&r->line, line);
	buf_char(&r->line, '\n');
}

void
resort_blank(struct resort *r)
{
	flush(r);
	buf_char(&r->line, '\n');
	buf_write(&r->line, r->out);
	fflush(r->out);
}

void
resort_end(struct resort *r)
{
	flush(r);
	buf_write(&r->line, r->out);
}
