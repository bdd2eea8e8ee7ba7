/* splitby.c - parts by what a sample, or a call, says of itself. */
#include "splitby.h"

#include "duration.h"
#include "mem.h"
#include "meta.h"

#include <err.h>
#include <inttypes.h>
#include <stdlib.h>

/* More are no help, and take memory. */
#define MAX_PARTS 10000

static bool
parse_bounds(struct splitby *b, struct str list)
{
	struct count n;

	while (list.len > 0) {
		if (count_parse(str_cut(&list, ','), &n) != COUNT_OK ||
		    (b->nbounds > 0 &&
		     count_cmp(b->bound[b->nbounds - 1], n) >= 0))
			return false;
		b->bound = mem_grow(b->bound, &b->bound_cap, b->nbounds + 1,
				    sizeof(*b->bound));
		b->bound[b->nbounds++] = n;
	}
	return true;
}

bool
splitby_parse(struct splitby *b, struct str s, struct buf *why)
{
	struct str rest = s, word = str_cut(&rest, ':');
	size_t offset;

	splitby_free(b);
	if (str_eq(word, STR("time")) && duration_parse(rest, &b->step) &&
	    b->step > 0) {
		b->what = SPLITBY_TIME;
	} else if (str_eq(s, STR("cpu"))) {
		b->what = SPLITBY_CPU;
	} else if (str_eq(s, STR("tid"))) {
		b->what = SPLITBY_TID;
	} else if (str_eq(word, STR("frame"))) {
		b->what = SPLITBY_FRAME;
		b->frame = regex_new(rest, false, why, &offset);
		return b->frame != NULL;
	} else if (str_eq(word, STR("arg"))) {
		b->what = SPLITBY_ARG;
		b->arg = str_cut(&rest, ':');
		if (b->arg.len > 0 && parse_bounds(b, rest))
			return true;
		buf_str(why, STR("arg:NAME, or arg:NAME:10,100 with numbers "
				 "that rise"));
		return false;
	}
	buf_str(why, STR("time:10s, cpu, tid, frame:RE or arg:NAME"));
	return b->what != SPLITBY_NOTHING;
}

static uint32_t
new_part(struct parts *p, struct str name)
{
	if (p->n >= MAX_PARTS)
		errx(2,
		     "more than %d parts: split by something else, or in "
		     "bands",
		     MAX_PARTS);
	return parts_new(p, name);
}

/* Names of frames hold no ';'. */
static struct str
as_frame(struct buf *text)
{
	size_t i;

	for (i = 0; i < text->len; i++) {
		if (text->p[i] == ';')
			text->p[i] = ':';
	}
	return buf_slice(text);
}

/* The part of what is in b->text. */
static uint32_t
part_of_text(struct splitby *b, struct parts *p)
{
	struct str name = as_frame(&b->text);
	size_t old = b->value_cap;
	uint32_t id;

	if (b->values == NULL)
		b->values = intern_new();
	id = intern_id(b->values, name);
	b->value_part = mem_grow(b->value_part, &b->value_cap, id + (size_t)1,
				 sizeof(*b->value_part));
	memset(b->value_part + old, 0,
	       (b->value_cap - old) * sizeof(*b->value_part));
	if (b->value_part[id] == 0)
		b->value_part[id] = new_part(p, name);
	return b->value_part[id];
}

/* The part of a number; *made if it is new, without a name. */
static uint32_t
part_of_number(struct splitby *b, struct parts *p, uint64_t n, bool *made)
{
	uint32_t part;

	*made = !map_get(&b->numbers, n, &part);
	if (*made) {
		part = new_part(p, STR(""));
		map_put(&b->numbers, n, part);
	}
	return part;
}

static uint32_t
by_id(struct splitby *b, struct parts *p, const char *what, int64_t id)
{
	struct buf *name;
	uint32_t part;
	bool made;

	part = part_of_number(b, p, (uint64_t)id, &made);
	name = &p->part[part].name;
	if (made && id >= 0)
		buf_printf(name, "%s-%" PRId64, what, id);
	else if (made)
		buf_printf(name, "%s-?", what);
	return part;
}

static uint32_t
by_time(struct splitby *b, struct parts *p, uint64_t time)
{
	size_t old = b->piece_cap;
	uint32_t part;
	bool made;

	part = part_of_number(b, p, time / b->step, &made);
	if (!made)
		return part;
	b->piece = mem_grow(b->piece, &b->piece_cap, part + (size_t)1,
			    sizeof(*b->piece));
	memset(b->piece + old, 0, (b->piece_cap - old) * sizeof(*b->piece));
	b->piece[part] = time / b->step;
	b->npieces = part + (size_t)1;
	return part;
}

static uint32_t
look_for_frame(struct splitby *b, struct parts *p, struct str stack)
{
	struct str frame;

	b->text.len = 0;
	while (stack.len > 0 && b->text.len == 0) {
		frame = str_cut(&stack, ';');
		if (regex_match(b->frame, frame))
			buf_str(&b->text, regex_groups(b->frame) > 0 ?
					      regex_group(b->frame, 1) :
					      frame);
	}
	if (b->text.len == 0)
		buf_str(&b->text, STR("others"));
	return part_of_text(b, p);
}

static uint32_t
by_frame(struct splitby *b, struct parts *p, struct str text, uint32_t stack)
{
	size_t old = b->stack_cap;

	b->stack_part = mem_grow(b->stack_part, &b->stack_cap,
				 stack + (size_t)1, sizeof(*b->stack_part));
	memset(b->stack_part + old, 0,
	       (b->stack_cap - old) * sizeof(*b->stack_part));
	if (b->stack_part[stack] == 0)
		b->stack_part[stack] = look_for_frame(b, p, text);
	return b->stack_part[stack];
}

uint32_t
splitby_sample(struct splitby *b, struct parts *p, const struct samples *s,
	       const struct sample_line *sample)
{
	switch (b->what) {
	case SPLITBY_TIME:
		return by_time(b, p, sample->time);
	case SPLITBY_CPU:
		return by_id(b, p, "cpu", sample->origin->cpu);
	case SPLITBY_TID:
		return by_id(b, p, "tid", sample->origin->tid);
	default:
		return by_frame(b, p, intern_name(s->stacks, sample->stack),
				sample->stack);
	}
}

/*
 * The value of an argument in 'id=7 name="a b"', quotes and all; empty if it is
 * not there.
 */
static struct str
find_arg(struct str args, struct str name)
{
	const char *end;
	struct str key;

	while (args.len > 0) {
		key = str_cut(&args, '=');
		end = args.len > 0 && *args.p == '"' ?
			  str_search(str_skip(args, 1), STR("\" ")) :
			  str_find(args, ' ');
		if (end != NULL && *end == '"')
			end++;
		if (end == NULL)
			end = args.p + args.len;
		if (str_eq(key, name))
			return str_range(args.p, end);
		args = str_skip(args, (size_t)(end - args.p) + 1);
	}
	return STR("");
}

static void
add_band(const struct splitby *b, struct str value, struct buf *out)
{
	bool negative = str_starts(value, STR("-"));
	struct count n;
	size_t i = 0;

	if (!negative && count_parse(value, &n) != COUNT_OK) {
		buf_str(out, STR(" is no number"));
		return;
	}
	while (!negative && i < b->nbounds && count_cmp(n, b->bound[i]) > 0)
		i++;
	if (i > 0) {
		buf_str(out, STR(" > "));
		count_print(out, b->bound[i - 1]);
	}
	if (i < b->nbounds) {
		buf_str(out, STR(" <= "));
		count_print(out, b->bound[i]);
	}
}

uint32_t
splitby_args(struct splitby *b, struct parts *p, struct str args)
{
	struct buf decoded = { 0 };
	struct str value;
	uint32_t part;

	meta_decode(&decoded, args);
	value = find_arg(buf_slice(&decoded), b->arg);
	b->text.len = 0;
	buf_str(&b->text, b->arg);
	if (value.len == 0) {
		buf_str(&b->text, STR("=?"));
	} else if (b->nbounds > 0) {
		add_band(b, value, &b->text);
	} else {
		buf_char(&b->text, '=');
		buf_str(&b->text, value);
	}
	part = part_of_text(b, p);
	buf_free(&decoded);
	return part;
}

/* "from 010 s": as many digits for all, so that they sort. */
void
splitby_name(const struct splitby *b, struct parts *p)
{
	uint64_t first = UINT64_MAX, last = 0, ns;
	int decimals = 0, width;
	struct buf *name;
	size_t i;

	if (b->what != SPLITBY_TIME)
		return;
	for (i = 0; i < b->npieces; i++) {
		if (b->piece[i] == 0 && p->part[i].samples == 0)
			continue;
		first = b->piece[i] < first ? b->piece[i] : first;
		last = b->piece[i] > last ? b->piece[i] : last;
	}
	for (ns = 1000000000; b->step % ns != 0; ns /= 10)
		decimals++;
	width = snprintf(NULL, 0, "%.*f", decimals,
			 (double)(last - first) * (double)b->step / 1e9);
	for (i = 0; i < b->npieces; i++) {
		name = &p->part[i].name;
		if (p->part[i].samples == 0)
			continue;
		name->len = 0;
		buf_printf(name, "from %0*.*f s", width, decimals,
			   (double)(b->piece[i] - first) * (double)b->step /
			       1e9);
	}
}

void
splitby_free(struct splitby *b)
{
	regex_free(b->frame);
	free(b->bound);
	map_free(&b->numbers);
	intern_free(b->values);
	free(b->value_part);
	free(b->stack_part);
	free(b->piece);
	buf_free(&b->text);
	*b = (struct splitby){ 0 };
}
