/* splitby.c - splits by time, CPU, thread, frame or argument of a call. */
#include "split/splitby.h"

#include "base/duration.h"
#include "base/mem.h"
#include "base/table.h"
#include "folded/meta.h"

#include <err.h>
#include <inttypes.h>
#include <stdlib.h>

/* The part of a CPU, a thread or an interval. */
struct splitby_number {
	uint64_t n;
	uint32_t part;
	UT_hash_handle hh;
};

/* More parts do not help the user, and take memory. */
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
		b->key = SPLITBY_TIME;
	} else if (str_eq(s, STR("cpu"))) {
		b->key = SPLITBY_CPU;
	} else if (str_eq(s, STR("tid"))) {
		b->key = SPLITBY_TID;
	} else if (str_eq(word, STR("frame"))) {
		b->key = SPLITBY_FRAME;
		b->frame = regex_new(rest, false, why, &offset);
		return b->frame != NULL;
	} else if (str_eq(word, STR("arg"))) {
		b->key = SPLITBY_ARG;
		b->arg = str_cut(&rest, ':');
		if (b->arg.len > 0 && parse_bounds(b, rest))
			return true;
		buf_str(why, STR("arg:NAME, or arg:NAME:10,100 with increasing "
				 "numbers"));
		return false;
	}
	buf_str(why, STR("time:10s, cpu, tid, frame:RE or arg:NAME"));
	return b->key != SPLITBY_NOTHING;
}

static uint32_t
new_part(struct partition *p, struct str name)
{
	if (p->n >= MAX_PARTS)
		errx(2,
		     "more than %d parts: split by something else, or give "
		     "thresholds",
		     MAX_PARTS);
	return partition_new(p, name);
}

/* Names of frames have no ';': replace it. */
static struct str
replace_semicolons(struct buf *text)
{
	size_t i;

	for (i = 0; i < text->len; i++) {
		if (text->p[i] == ';')
			text->p[i] = ':';
	}
	return buf_slice(text);
}

/* The part of the value in b->text. */
static uint32_t
part_of_text(struct splitby *b, struct partition *p)
{
	struct str name = replace_semicolons(&b->text);
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

/* The part of a number; *made if it is new and has no name yet. */
static uint32_t
part_of_number(struct splitby *b, struct partition *p, uint64_t n, bool *made)
{
	struct splitby_number *number;

	HASH_FIND(hh, b->numbers, &n, sizeof(n), number);
	*made = number == NULL;
	if (*made) {
		number = mem_zero(1, sizeof(*number));
		number->n = n;
		number->part = new_part(p, STR(""));
		HASH_ADD(hh, b->numbers, n, sizeof(n), number);
	}
	return number->part;
}

static uint32_t
part_of_id(struct splitby *b, struct partition *p, const char *what, int64_t id)
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

/* The part of the first frame that matches. */
static uint32_t
match_frame(struct splitby *b, struct partition *p, struct str stack)
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
part_of_frame(struct splitby *b, struct partition *p, struct str text,
	      uint32_t stack)
{
	size_t old = b->stack_cap;

	b->stack_part = mem_grow(b->stack_part, &b->stack_cap,
				 stack + (size_t)1, sizeof(*b->stack_part));
	memset(b->stack_part + old, 0,
	       (b->stack_cap - old) * sizeof(*b->stack_part));
	if (b->stack_part[stack] == 0)
		b->stack_part[stack] = match_frame(b, p, text);
	return b->stack_part[stack];
}

uint32_t
splitby_sample(struct splitby *b, struct partition *p, const struct samples *s,
	       const struct sample_line *sample)
{
	bool made;

	switch (b->key) {
	case SPLITBY_TIME:
		return part_of_number(b, p, sample->time / b->step, &made);
	case SPLITBY_CPU:
		return part_of_id(b, p, "cpu", sample->origin->cpu);
	case SPLITBY_TID:
		return part_of_id(b, p, "tid", sample->origin->tid);
	default:
		return part_of_frame(
		    b, p, intern_name(s->stacks, sample->stack), sample->stack);
	}
}

/* The value of an argument in 'id=7 name="a b"', with its quotes; or empty. */
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

/* Append the band of an argument. */
static void
add_band(const struct splitby *b, struct str value, struct buf *out)
{
	bool negative = str_starts(value, STR("-"));
	struct count n;
	size_t i = 0;

	if (!negative && count_parse(value, &n) != COUNT_OK) {
		buf_str(out, STR(" is not a number"));
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
splitby_args(struct splitby *b, struct partition *p, struct str args)
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

/* Name intervals "from 010 s", with leading zeros so that they sort. */
void
splitby_name(const struct splitby *b, struct partition *p)
{
	uint64_t first = UINT64_MAX, last = 0, ns;
	const struct splitby_number *number;
	int decimals = 0, width;
	struct buf *name;

	if (b->key != SPLITBY_TIME || b->numbers == NULL)
		return;
	for (number = b->numbers; number != NULL; number = number->hh.next) {
		first = number->n < first ? number->n : first;
		last = number->n > last ? number->n : last;
	}
	for (ns = 1000000000; b->step % ns != 0; ns /= 10)
		decimals++;
	width = snprintf(NULL, 0, "%.*f", decimals,
			 (double)(last - first) * (double)b->step / 1e9);
	for (number = b->numbers; number != NULL; number = number->hh.next) {
		name = &p->part[number->part].name;
		name->len = 0;
		buf_printf(name, "from %0*.*f s", width, decimals,
			   (double)(number->n - first) * (double)b->step / 1e9);
	}
}

void
splitby_free(struct splitby *b)
{
	struct splitby_number *number, *next;

	HASH_ITER(hh, b->numbers, number, next)
	{
		HASH_DEL(b->numbers, number);
		free(number);
	}
	regex_free(b->frame);
	free(b->bound);
	intern_free(b->values);
	free(b->value_part);
	free(b->stack_part);
	buf_free(&b->text);
	*b = (struct splitby){ 0 };
}
