/* cells.c - a few stacks and their counts, by number of the stack. */
#include "cells.h"

#include "mem.h"

#include <err.h>
#include <stdlib.h>

#define FEW 256

#define DIGIT 11

/* Sort by one digit of the stack's number, from one array to another. */
static void
sort_digit(const struct cell *from, struct cell *to, size_t n, unsigned shift)
{
	size_t place[1 << DIGIT] = { 0 }, i, sum = 0, count;

	for (i = 0; i < n; i++)
		place[from[i].stack >> shift & ((1 << DIGIT) - 1)]++;
	for (i = 0; i < 1 << DIGIT; i++) {
		count = place[i];
		place[i] = sum;
		sum += count;
	}
	for (i = 0; i < n; i++)
		to[place[from[i].stack >> shift & ((1 << DIGIT) - 1)]++] =
		    from[i];
}

/* By number of the stack. */
static void
sort(struct cells *c)
{
	struct cell *other = mem_alloc(c->cap * sizeof(*other)), *t;
	uint32_t most = 0;
	unsigned shift;
	size_t i;

	for (i = 0; i < c->n; i++)
		most |= c->cell[i].stack;
	for (shift = 0; shift < 32 && most >> shift != 0; shift += DIGIT) {
		sort_digit(c->cell, other, c->n, shift);
		t = c->cell;
		c->cell = other;
		other = t;
	}
	free(other);
}

/* Add up equal stacks. */
static void
squeeze(struct cells *c)
{
	struct count sum;
	struct cell *to;
	size_t i;

	sort(c);
	to = c->cell;
	for (i = 1; i < c->n; i++) {
		if (c->cell[i].stack != to->stack) {
			*++to = c->cell[i];
			continue;
		}
		sum = cell_count(to);
		if (!count_add(&sum, cell_count(&c->cell[i])))
			errx(2, "the counts of a stack add up to more than "
				"64 bits");
		to->units = sum.units;
		to->micro = sum.micro;
	}
	c->n = (size_t)(to - c->cell) + 1;
	c->full = 2 * c->n > FEW ? 2 * c->n : FEW;
}

void
cells_add(struct cells *c, uint32_t stack, struct count count)
{
	if (c->n >= FEW && c->n >= c->full)
		squeeze(c);
	c->cell = mem_grow(c->cell, &c->cap, c->n + 1, sizeof(*c->cell));
	c->cell[c->n++] = (struct cell){ stack, count.micro, count.units };
	c->samples++;
}

void
cells_clear(struct cells *c)
{
	c->n = c->full = 0;
	c->samples = 0;
}

void
cells_free(struct cells *c)
{
	free(c->cell);
	*c = (struct cells){ 0 };
}
