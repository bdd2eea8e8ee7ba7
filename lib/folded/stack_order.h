/* stack_order.h - compare stacks by frames as if by the bytes of their text. */
#ifndef STACK_ORDER_H
#define STACK_ORDER_H

#include "base/intern.h"

/*
 * Folded text is sorted by the bytes of "a;b;c".  Building these texts would
 * cost more than the sort.  Instead each name has two ranks: of the name with
 * ';' after it, and of the name at the end of a text.  Stacks compare like the
 * sequences of these ranks.
 */
struct stack_order {
	uint32_t *inner, *last; /* by number of the name */
};

/* Rank all names of a table; release with stack_order_free(). */
struct stack_order stack_order_new(const struct intern *names);
void stack_order_free(struct stack_order *order);

#endif
