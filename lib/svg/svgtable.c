/* svgtable.c - the table of all frames in a picture. */
#include "svg/svgtable.h"

#include "base/mem.h"
#include "codec/base64.h"
#include "codec/deflate_whole.h"

#include <stdlib.h>

/* Smaller tables are not worth a decompression step in the browser. */
#define DEFLATE_FROM 8192

void
svgtable_number(struct buf *out, uint64_t n)
{
	buf_reserve(out, 10);
	while (n > 0x7f) {
		out->p[out->len++] = (char)((n & 0x7f) | 0x80);
		n >>= 7;
	}
	out->p[out->len++] = (char)n;
}

/* Like svgtable_number(), for numbers beyond 64 bits. */
static void
add_long_varint(struct buf *out, unsigned __int128 n)
{
	while (n > UINT64_MAX) {
		buf_char(out, (char)((n & 0x7f) | 0x80));
		n >>= 7;
	}
	svgtable_number(out, (uint64_t)n);
}

/* Decimal places of a count, or scale if that is more. */
static int
more_places(struct count c, int scale)
{
	int places = c.micro == 0 ? 0 : 6;

	for (; places > scale && c.micro % 10 == 0; places--)
		c.micro /= 10;
	return places > scale ? places : scale;
}

int
svgtable_scale(const struct tree *t)
{
	uint32_t i;
	int column, scale = 0;

	for (column = 0; column < t->counts; column++) {
		for (i = 0; t->micro[column] != NULL && i < t->n; i++)
			scale = more_places(tree_total(t, i, column), scale);
	}
	for (i = 0; t->lead != NULL && i < t->n; i++)
		scale = more_places(tree_lead(t, i), scale);
	return scale;
}

static unsigned __int128
scaled(struct count c, int scale)
{
	unsigned __int128 n = c.units;
	uint32_t micro = c.micro;
	int i;

	for (i = 0; i < scale; i++)
		n *= 10;
	for (i = scale; i < 6; i++)
		micro /= 10;
	return n + micro;
}

void
svgtable_count(struct buf *out, struct count c, int scale)
{
	add_long_varint(out, scaled(c, scale));
}

void
svgtable_scaled(struct buf *out, struct count c, int scale)
{
	unsigned __int128 n = scaled(c, scale);
	char digits[40];
	size_t i = sizeof(digits);

	do {
		digits[--i] = (char)('0' + (int)(n % 10));
		n /= 10;
	} while (n > 0);
	buf_add(out, digits + i, sizeof(digits) - i);
}

static void
add_names(struct buf *out, const struct tree *t, const struct svgnames *names)
{
	struct str last = { 0 }, name;
	uint32_t i;
	size_t same;

	for (i = 0; i < names->n; i++) {
		name = intern_name(t->names, names->id[i]);
		for (same = 0; same < name.len && same < last.len; same++) {
			if (name.p[same] != last.p[same])
				break;
		}
		svgtable_number(out, same);
		svgtable_number(out, name.len - same);
		buf_str(out, str_skip(name, same));
		last = name;
	}
	for (i = 0; i < names->n; i++)
		svgtable_number(out,
				names->shade == NULL ? 0 : names->shade[i]);
}

static void
add_shape(struct buf *out, const struct tree *t)
{
	uint32_t i, caller, above;

	for (i = 1; i < t->n; i++) {
		above = 0;
		for (caller = i - 1; caller != t->node[i].parent; above++)
			caller = t->node[caller].parent;
		svgtable_number(out, above);
	}
}

static void
add_name_column(struct buf *out, const struct tree *t,
		const struct svgnames *names)
{
	uint32_t i;

	for (i = 1; i < t->n; i++)
		svgtable_number(out, names->place[t->node[i].name]);
}

static void
add_counts(struct buf *out, const struct tree *t, int column, int scale)
{
	uint32_t i;

	for (i = 1; i < t->n; i++)
		svgtable_count(out, tree_self(t, i, column), scale);
}

static void
add_leads(struct buf *out, const struct tree *t, int scale)
{
	uint32_t i;

	for (i = 1; i < t->n; i++)
		svgtable_count(out, tree_lead(t, i), scale);
}

/* True if siblings are not in the order of the input. */
static bool
is_reordered(const struct tree *t)
{
	uint32_t i;

	for (i = 1; i < t->n; i++) {
		if (t->node[i].next != 0 &&
		    t->seen[t->node[i].next] < t->seen[i])
			return true;
	}
	return false;
}

/*
 * For each child, count the siblings to its left with a higher number.  Merge
 * sort counts these inversions, because there may be a million siblings.
 */
static void
count_later(const uint32_t *number, uint32_t *index, uint32_t *tmp,
	    uint32_t *later, size_t n)
{
	size_t half = n / 2, i = 0, j = half, k = 0;

	if (n < 2)
		return;
	count_later(number, index, tmp, later, half);
	count_later(number, index + half, tmp, later, n - half);
	while (i < half || j < n) {
		if (j == n ||
		    (i < half && number[index[i]] < number[index[j]])) {
			tmp[k++] = index[i++];
		} else {
			later[index[j]] += (uint32_t)(half - i);
			tmp[k++] = index[j++];
		}
	}
	memcpy(index, tmp, n * sizeof(*index));
}

/* Scratch memory for the children of one frame. */
struct siblings {
	uint32_t *number, *index, *tmp, *later;
	size_t cap;
};

static void
add_siblings(struct buf *out, const struct tree *t, uint32_t i,
	     struct siblings *s)
{
	size_t n = 0, k, cap;

	for (i = t->node[i].child; i != 0; i = t->node[i].next) {
		cap = s->cap;
		s->number = mem_grow(s->number, &cap, n + 1, sizeof(uint32_t));
		cap = s->cap;
		s->index = mem_grow(s->index, &cap, n + 1, sizeof(uint32_t));
		cap = s->cap;
		s->tmp = mem_grow(s->tmp, &cap, n + 1, sizeof(uint32_t));
		s->later = mem_grow(s->later, &s->cap, n + 1, sizeof(uint32_t));
		s->number[n] = t->seen[i];
		s->index[n] = (uint32_t)n;
		s->later[n++] = 0;
	}
	if (n < 2)
		return;
	count_later(s->number, s->index, s->tmp, s->later, n);
	for (k = 0; k < n; k++)
		svgtable_number(out, s->later[k]);
}

/* Append the column of the input order, family by family. */
static void
add_order(struct buf *out, const struct tree *t)
{
	struct siblings s = { 0 };
	uint32_t i = 0, depth = 0;

	do {
		add_siblings(out, t, i, &s);
		i = tree_next(t, i, &depth);
	} while (i != 0);
	free(s.number);
	free(s.index);
	free(s.tmp);
	free(s.later);
}

void
svgtable_add(struct buf *out, const struct tree *t,
	     const struct svgnames *names, unsigned flags, struct str header)
{
	int column, scale = svgtable_scale(t);

	flags |= t->counts == 2 ? SVGTABLE_TWO : 0;
	flags |= is_reordered(t) ? SVGTABLE_ORDER : 0;
	flags |= t->pruned > 0 ? SVGTABLE_LOSSY : 0;
	flags |= t->lead != NULL ? SVGTABLE_LEAD : 0;
	svgtable_number(out, 1);
	svgtable_number(out, flags);
	svgtable_number(out, (unsigned)scale);
	svgtable_number(out, header.len);
	buf_str(out, header);
	svgtable_number(out, names->n);
	svgtable_number(out, t->n - 1);
	add_names(out, t, names);
	add_shape(out, t);
	add_name_column(out, t, names);
	for (column = t->counts - 1; column >= 0; column--)
		add_counts(out, t, column, scale);
	if (flags & SVGTABLE_LEAD)
		add_leads(out, t, scale);
	if (flags & SVGTABLE_ORDER)
		add_order(out, t);
}

void
svgtable_embed(struct buf *out, const char *name, struct str bytes, bool pack)
{
	struct buf packed = { 0 };

	pack = pack && bytes.len >= DEFLATE_FROM;
	if (pack) {
		deflate_whole(&packed, bytes);
		bytes = buf_slice(&packed);
	}
	buf_printf(out, "<metadata data-fg=\"%s\" data-form=\"%s\">", name,
		   pack ? "deflate" : "raw");
	base64_encode(out, bytes);
	buf_str(out, STR("</metadata>\n"));
	buf_free(&packed);
}
