/* stack_order.c - compare stacks by frames as if by the bytes of their text. */
#include "folded/stack_order.h"

#include "base/mem.h"

#include <err.h>
#include <stdlib.h>

struct ranked_name {
	struct str name;
	uint32_t id;
	bool last; /* the frame at the end of a text */
};

static int
compare_names(const void *va, const void *vb)
{
	const struct ranked_name *a = va, *b = vb;
	size_t n = a->name.len < b->name.len ? a->name.len : b->name.len;
	int diff = memcmp(a->name.p, b->name.p, n), ca, cb;

	if (diff != 0)
		return diff;
	/* The common part is followed by a byte, by ';', or by the end. */
	ca = a->name.len > n ? (unsigned char)a->name.p[n] :
			       (a->last ? -1 : ';');
	cb = b->name.len > n ? (unsigned char)b->name.p[n] :
			       (b->last ? -1 : ';');
	return ca - cb;
}

struct stack_order
stack_order_new(const struct intern *names)
{
	uint32_t i, n = intern_size(names);
	struct ranked_name *all = mem_zero(2 * (size_t)n, sizeof(*all));
	struct stack_order order = { mem_zero(n, sizeof(*order.inner)),
				     mem_zero(n, sizeof(*order.last)) };

	if (n > UINT32_MAX / 2)
		errx(2, "too many names");
	for (i = 0; i < n; i++) {
		all[2 * i] = (struct ranked_name){ intern_name(names, i), i,
						   false };
		all[2 * i + 1] = (struct ranked_name){ all[2 * i].name, i,
						       true };
	}
	qsort(all, 2 * (size_t)n, sizeof(*all), compare_names);
	for (i = 0; i < 2 * n; i++) {
		if (all[i].last)
			order.last[all[i].id] = i;
		else
			order.inner[all[i].id] = i;
	}
	free(all);
	return order;
}

void
stack_order_free(struct stack_order *order)
{
	free(order->inner);
	free(order->last);
}
