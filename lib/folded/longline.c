/* longline.c - cut stacks for readers that limit the length of a line. */
#include "folded/longline.h"

#include "base/mem.h"

#include <stdlib.h>

static size_t
length(const struct intern *names, uint32_t id)
{
	return intern_name(names, id).len;
}

static bool
fits(const struct intern *names, const uint32_t *id, size_t n, size_t max)
{
	size_t i, sum = n - 1; /* the semicolons */

	for (i = 0; i < n && sum <= max; i++)
		sum += length(names, id[i]);
	return sum <= max;
}

/* The first characters of a name that fit in max bytes. */
static uint32_t
cut_name(struct intern *names, uint32_t id, size_t max)
{
	struct str name = intern_name(names, id);

	while (max > 0 && ((unsigned char)name.p[max] & 0xc0) == 0x80)
		max--;
	name.len = max;
	return intern_id(names, str_rtrim(name));
}

bool
longline_cut(struct longline *l, struct intern *names, const uint32_t **id,
	     size_t *n, size_t max)
{
	const struct str mark = STR("[truncated]");
	size_t room = max - mark.len - 1, kept = 0, head = 0, leaf, size;
	uint32_t *cut;

	if (fits(names, *id, *n, max))
		return false;
	cut = l->id = mem_grow(l->id, &l->cap, *n + 2, sizeof(*cut));
	leaf = length(names, (*id)[*n - 1]);
	/* The first frame names the process: keep it if the leaf fits too. */
	if (*n > 1 && length(names, **id) + 1 + leaf <= room) {
		cut[head++] = **id;
		room -= length(names, **id) + 1;
	}
	cut[head] = intern_id(names, mark);
	for (; kept + head < *n; kept++) {
		size = length(names, (*id)[*n - 1 - kept]);
		if (size + (kept > 0) > room)
			break;
		room -= size + (kept > 0);
	}
	memcpy(cut + head + 1, *id + *n - kept, kept * sizeof(*cut));
	if (kept == 0)
		cut[head + ++kept] = cut_name(names, (*id)[*n - 1], room);
	*n = head + 1 + kept;
	*id = cut;
	return true;
}

void
longline_free(struct longline *l)
{
	free(l->id);
}
