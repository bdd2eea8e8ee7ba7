/* zip.c - sorted profiles of two sides, compared in one pass. */
#include "zip.h"

#include "mem.h"

#include <err.h>
#include <inttypes.h>
#include <stdlib.h>

/*
 * That much is held back: where the first lines are not sorted, which is where
 * most files that are not show it, nothing was written.
 */
#define HELD_BACK (1024 * 1024)

struct zip {
	struct zip_input *input;
	size_t n;
	FILE *out;
	struct buf text;
	bool written, plain;
	struct zip_input *disorder;
};

/* Go to the next stack; metadata or blanks between stacks are not plain. */
static void
read_next(struct zip *z, struct zip_input *i, bool first)
{
	enum folded_kind kind;

	do {
		kind = folded_read(&i->f, &i->in);
		if (kind == FOLDED_BLANK ||
		    (kind == FOLDED_META && !(first && i->f.is_header)))
			z->plain = false;
	} while (kind == FOLDED_META || kind == FOLDED_COMMENT ||
		 kind == FOLDED_BLANK);
	i->more = kind == FOLDED_STACK;
	if (i->more && i->f.counts != 1)
		z->plain = false;
}

/* Add the counts of an input's lines that have the key, and go behind them. */
static void
take(struct zip *z, struct zip_input *i, struct str key, struct count *sum)
{
	int order = 0;

	while (order == 0) {
		if (!count_add(sum, i->f.count[0]))
			errx(2,
			     "%s:%" PRIu64 ": the counts add up to more "
			     "than 64 bits",
			     i->in.name, i->in.line);
		read_next(z, i, false);
		order = i->more ? str_cmp(i->f.stack, key) : 1;
	}
	if (order < 0)
		z->disorder = i;
}

/* The first of the stacks that are next; NULL if there are none. */
static struct zip_input *
find_first(const struct zip *z)
{
	struct zip_input *first = NULL, *i;

	for (i = z->input; i < z->input + z->n; i++) {
		if (i->more &&
		    (first == NULL || str_cmp(i->f.stack, first->f.stack) < 0))
			first = i;
	}
	return first;
}

/* Write the line of a stack, which is the next one of first. */
static void
put_line(struct zip *z, const struct zip_input *first)
{
	struct count sum[2] = { { 0, 0 }, { 0, 0 } };
	size_t start = z->text.len, length = first->f.stack.len;
	struct zip_input *i;

	buf_str(&z->text, first->f.stack);
	for (i = z->input; i < z->input + z->n; i++) {
		struct str key = { z->text.p + start, length };

		if (i->more && str_eq(i->f.stack, key))
			take(z, i, key, &sum[i->side]);
	}
	buf_char(&z->text, ' ');
	count_print(&z->text, sum[BEFORE]);
	buf_char(&z->text, ' ');
	count_print(&z->text, sum[AFTER]);
	buf_char(&z->text, '\n');
}

/* The header, of what the headers of the inputs agree on. */
static void
put_header(struct zip *z)
{
	struct sides s = { .n = z->n };
	struct meta header = { 0 };
	size_t i;

	s.run = mem_zero(z->n, sizeof(*s.run));
	for (i = 0; i < z->n; i++) {
		struct merge m = { 0 };

		merge_begin(&m, &z->input[i].f.header);
		if (merge_end(&m) != NULL)
			z->plain = false;
		s.run[i].meta = m.all;
		m.all = (struct meta){ 0 };
		merge_free(&m);
	}
	sides_check(&s);
	sides_header(&s, &header);
	meta_print(&z->text, &header);
	meta_free(&header);
	sides_free(&s);
}

static void
put_lines(struct zip *z)
{
	struct zip_input *first;

	while (z->plain && z->disorder == NULL &&
	       (first = find_first(z)) != NULL) {
		put_line(z, first);
		if (z->text.len > HELD_BACK) {
			buf_write(&z->text, z->out);
			z->written = true;
		}
	}
}

static enum zip_result
result(struct zip *z, struct zip_input **where)
{
	*where = z->disorder;
	if (z->plain && z->disorder == NULL) {
		buf_write(&z->text, z->out);
		return ZIP_DONE;
	}
	if (!z->written)
		return ZIP_NOT_PLAIN;
	return ZIP_DISORDER;
}

enum zip_result
zip_inputs(struct zip_input *input, size_t n, struct tally *tally, FILE *out,
	   struct zip_input **where)
{
	struct zip z = { .input = input, .n = n, .out = out, .plain = true };
	struct tally one = { 0 };
	enum zip_result r;
	size_t i;

	for (i = 0; i < n; i++) {
		input_open(&input[i].in, input[i].path, &one);
		input[i].f = (struct folded){ .counts = input[i].counts };
		read_next(&z, &input[i], true);
	}
	if (z.plain)
		put_header(&z);
	put_lines(&z);
	r = result(&z, where);
	for (i = 0; i < n; i++) {
		folded_free(&input[i].f);
		input_close(&input[i].in);
	}
	buf_free(&z.text);
	if (r == ZIP_DONE)
		*tally = one;
	else
		buf_free(&one.first);
	return r;
}
