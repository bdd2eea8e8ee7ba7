/* stack_counts.c - a small profile: the counts of a few stacks, by number. */
#include "split/stack_counts.h"

#include "base/mem.h"

#include <err.h>
#include <stdlib.h>

/* Do not merge equal stacks below this size. */
#define MIN_MERGE 256

/* Of the radix sort. */
#define DIGIT_BITS 11

/* Sort by one digit of the stack's number, from one array into another. */
static void
sort_digit(const struct stack_count *from, struct stack_count *to, size_t n,
	   unsigned shift)
{
	size_t place[1 << DIGIT_BITS] = { 0 }, i, sum = 0, count;

	for (i = 0; i < n; i++)
		place[from[i].stack >> shift & ((1 << DIGIT_BITS) - 1)]++;
	for (i = 0; i < 1 << DIGIT_BITS; i++) {
		count = place[i];
		place[i] = sum;
		sum += count;
	}
	for (i = 0; i < n; i++)
		to[place[from[i].stack >> shift & ((1 << DIGIT_BITS) - 1)]++] =
		    from[i];
}

/* Sort by the stack's number. */
static void
sort(struct stack_counts *c)
{
	struct stack_count *other = mem_alloc(c->cap * sizeof(*other)), *t;
	uint32_t most = 0;
	unsigned shift;
	size_t i;

	for (i = 0; i < c->n; i++)
		most |= c->item[i].stack;
	for (shift = 0; shift < 32 && most >> shift != 0; shift += DIGIT_BITS) {
		sort_digit(c->item, other, c->n, shift);
		t = c->item;
		c->item = other;
		other = t;
	}
	free(other);
}

/* Sum the counts of equal stacks. */
static void
merge(struct stack_counts *c)
{
	struct count sum;
	struct stack_count *to;
	size_t i;

	sort(c);
	to = c->item;
	for (i = 1; i < c->n; i++) {
		if (c->item[i].stack != to->stack) {
			*++to = c->item[i];
			continue;
		}
		sum = stack_counts_count(to);
		if (!count_add(&sum, stack_counts_count(&c->item[i])))
			errx(2, "the counts of a stack add up to more than "
				"64 bits");
		to->units = sum.units;
		to->micro = sum.micro;
	}
	c->n = (size_t)(to - c->item) + 1;
	c->merge_at = 2 * c->n > MIN_MERGE ? 2 * c->n : MIN_MERGE;
}

void
stack_counts_add(struct stack_counts *c, uint32_t stack, struct count count)
{
	if (c->n >= MIN_MERGE && c->n >= c->merge_at)
		merge(c);
	c->item = mem_grow(c->item, &c->cap, c->n + 1, sizeof(*c->item));
	c->item[c->n++] = (struct stack_count){ stack, count.micro,
						count.units };
	c->samples++;
}

void
stack_counts_clear(struct stack_counts *c)
{
	c->n = c->merge_at = 0;
	c->samples = 0;
}

void
stack_counts_free(struct stack_counts *c)
{
	free(c->item);
	*c = (struct stack_counts){ 0 };
}
