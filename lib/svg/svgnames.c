/* svgnames.c - the names of a picture, sorted, and their colours. */
#include "svg/svgnames.h"

#include "base/hash.h"
#include "base/mem.h"
#include "svg/diffcolour.h"

#include <inttypes.h>
#include <stdlib.h>

#define UNUSED UINT32_MAX

static int
by_name(const void *a, const void *b, void *names)
{
	return str_cmp(intern_name(names, *(const uint32_t *)a),
		       intern_name(names, *(const uint32_t *)b));
}

void
svgnames_init(struct svgnames *s, const struct tree *t)
{
	uint32_t i, size = intern_size(t->names);

	*s = (struct svgnames){ 0 };
	s->place = mem_alloc(size * sizeof(*s->place));
	s->id = mem_alloc(size * sizeof(*s->id));
	for (i = 0; i < size; i++)
		s->place[i] = UNUSED;
	for (i = 1; i < t->n; i++)
		s->place[t->node[i].name] = 0;
	for (i = 0; i < size; i++) {
		if (s->place[i] != UNUSED)
			s->id[s->n++] = i;
	}
	qsort_r(s->id, s->n, sizeof(*s->id), by_name, t->names);
	for (i = 0; i < s->n; i++)
		s->place[s->id[i]] = i;
}

/*
 * Return the index of a colour of a class; adds it if it is new.  FlameGraph's
 * formulas make some hundreds of colours, so a small hash table pays.
 */
static uint32_t
colour_index(struct svgnames *s, uint32_t *slot, size_t mask, struct colour c,
	     size_t class)
{
	size_t at = hash_seeded(&c, sizeof(c), hash_seed()) & mask;

	for (; slot[at] != 0; at = (at + 1) & mask) {
		const struct colour *old = &s->colour[slot[at] - 1];

		if (old->light == c.light && old->dark == c.dark &&
		    s->class[slot[at] - 1] == class)
			return slot[at] - 1;
	}
	s->colour = mem_grow(s->colour, &s->colour_cap, (size_t)s->ncolours + 1,
			     sizeof(*s->colour));
	s->class = mem_grow(s->class, &s->class_cap, (size_t)s->ncolours + 1,
			    sizeof(*s->class));
	s->colour[s->ncolours] = c;
	s->class[s->ncolours] = class;
	slot[at] = ++s->ncolours;
	return s->ncolours - 1;
}

void
svgnames_paint(struct svgnames *s, const struct tree *t, struct palette *p)
{
	size_t mask = 63, class;
	struct colour c;
	uint32_t *slot, i;

	s->file = palette_file(p);
	while (mask < 2 * (size_t)s->n + 2)
		mask = 2 * mask + 1;
	slot = mem_zero(mask + 1, sizeof(*slot));
	s->shade = mem_alloc(s->n * sizeof(*s->shade));
	for (i = 0; i < s->n; i++) {
		c = palette_colour(p, intern_name(t->names, s->id[i]), &class);
		s->shade[i] = colour_index(s, slot, mask, c, class);
	}
	s->root = colour_index(s, slot, mask, palette_colour(p, STR(""), NULL),
			       SVGNAMES_ROOT);
	free(slot);
}

void
svgnames_paint_diff(struct svgnames *s)
{
	uint32_t i;

	s->ncolours = DIFF_COLOURS;
	s->colour = mem_alloc(DIFF_COLOURS * sizeof(*s->colour));
	for (i = 0; i < DIFF_COLOURS; i++)
		s->colour[i] = diffcolour(i);
	s->root = DIFF_SAME;
}

bool
svgnames_are_fixed(const struct svgnames *s)
{
	uint32_t i;

	for (i = 0; i < s->ncolours; i++) {
		if (s->colour[i].light != s->colour[i].dark)
			return false;
	}
	return true;
}

uint32_t
svgnames_dark_key(const struct svgnames *s)
{
	struct buf text = { 0 };
	uint32_t i, key;

	for (i = 0; i < s->ncolours; i++)
		buf_printf(&text, "%06" PRIx32, s->colour[i].dark);
	key = (uint32_t)hash_xxh64(text.p, text.len);
	buf_free(&text);
	return key;
}

void
svgnames_free(struct svgnames *s)
{
	free(s->id);
	free(s->place);
	free(s->shade);
	free(s->colour);
	free(s->class);
	*s = (struct svgnames){ 0 };
}
