/* rank.c - the order of stacks by bytes, told by their frames. */
#include "rank.h"

#include "mem.h"

#include <err.h>
#include <stdlib.h>

struct ranked {
	struct str name;
	uint32_t id;
	int last;
};

static int
compare_names(const void *va, const void *vb)
{
	const struct ranked *a = va, *b = vb;
	size_t n = a->name.len < b->name.len ? a->name.len : b->name.len;
	int order = memcmp(a->name.p, b->name.p, n), ca, cb;

	if (order != 0)
		return order;
	/* What follows the common part: a byte, ';', or the end. */
	ca = a->name.len > n ? (unsigned char)a->name.p[n] :
			       (a->last ? -1 : ';');
	cb = b->name.len > n ? (unsigned char)b->name.p[n] :
			       (b->last ? -1 : ';');
	return ca - cb;
}

struct ranks
ranks_new(const struct intern *names)
{
	uint32_t i, n = intern_size(names);
	struct ranked *all = mem_zero(2 * (size_t)n, sizeof(*all));
	struct ranks r = { mem_zero(n, sizeof(*r.inner)),
			   mem_zero(n, sizeof(*r.last)) };

	if (n > UINT32_MAX / 2)
		errx(2, "too many names");
	for (i = 0; i < n; i++) {
		all[2 * i] = (struct ranked){ intern_name(names, i), i, 0 };
		all[2 * i + 1] = (struct ranked){ all[2 * i].name, i, 1 };
	}
	qsort(all, 2 * (size_t)n, sizeof(*all), compare_names);
	for (i = 0; i < 2 * n; i++) {
		if (all[i].last)
			r.last[all[i].id] = i;
		else
			r.inner[all[i].id] = i;
	}
	free(all);
	return r;
}

void
ranks_free(struct ranks *r)
{
	free(r->inner);
	free(r->last);
}
