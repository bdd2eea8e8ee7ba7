/* svgread.c - read the stacks in the table of a picture. */
#include "svg/svgread.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "svg/svgtable.h"

#include <stdlib.h>

static const char damaged[] = "the table is damaged";

/* Parse a number and advance s; false if it is truncated or too long. */
static bool
take_wide(struct str *s, unsigned __int128 *n)
{
	unsigned shift = 0;
	unsigned char c;

	*n = 0;
	do {
		if (s->len == 0 || shift > 84)
			return false;
		c = (unsigned char)*s->p;
		*n |= (unsigned __int128)(c & 0x7f) << shift;
		shift += 7;
		*s = str_skip(*s, 1);
	} while (c & 0x80);
	return true;
}

static bool
take(struct str *s, uint64_t *n)
{
	unsigned __int128 wide;

	if (!take_wide(s, &wide) || wide > UINT64_MAX)
		return false;
	*n = (uint64_t)wide;
	return true;
}

static bool
take_bytes(struct str *s, uint64_t n, struct str *bytes)
{
	if (n > s->len)
		return false;
	*bytes = (struct str){ s->p, (size_t)n };
	*s = str_skip(*s, (size_t)n);
	return true;
}

/* Read the next name, which shares a prefix with the one before. */
static bool
take_name(struct str *s, struct buf *name)
{
	struct str tail;
	uint64_t same, more;

	if (!take(s, &same) || same > name->len || !take(s, &more) ||
	    !take_bytes(s, more, &tail))
		return false;
	name->len = (size_t)same;
	buf_str(name, tail);
	return utf8_isclean(buf_slice(name)) &&
	       str_find(buf_slice(name), ';') == NULL;
}

static const char *
read_names(struct svgread *r, struct str *s, struct intern *names, size_t most)
{
	const size_t before = intern_memory(names);
	const char *reason = NULL;
	struct buf name = { 0 };
	uint64_t i;

	for (i = 0; i < r->nnames && reason == NULL; i++) {
		if (!take_name(s, &name)) {
			reason = damaged;
			break;
		}
		r->id = mem_grow(r->id, &r->id_cap, (size_t)i + 1,
				 sizeof(*r->id));
		r->id[i] = intern_id(names, buf_slice(&name));
		if (intern_memory(names) - before > most)
			reason = "its names need too much memory";
	}
	buf_free(&name);
	return reason;
}

/* Set *column to the next n numbers, and skip them. */
static bool
take_column(struct str *s, uint64_t n, struct str *column)
{
	size_t i;

	*column = *s;
	for (i = 0; n > 0; i++) {
		if (i == s->len)
			return false;
		n -= (s->p[i] & 0x80) == 0;
	}
	*s = str_skip(*s, i);
	return true;
}

static bool
open_columns(struct svgread *r, struct str s)
{
	struct str colours;

	return take_column(&s, r->nnames, &colours) &&
	       take_column(&s, r->left, &r->up) &&
	       take_column(&s, r->left, &r->name) &&
	       take_column(&s, r->left, &r->self[r->counts - 1]) &&
	       (r->counts == 1 || take_column(&s, r->left, &r->self[0]));
}

const char *
svgread_open(struct svgread *r, struct str s, struct intern *names, size_t most)
{
	uint64_t version, flags, scale, length;
	const char *reason;

	*r = (struct svgread){ 0 };
	if (!take(&s, &version) || version != 1 || !take(&s, &flags) ||
	    !take(&s, &scale) || scale > 6 || !take(&s, &length) ||
	    !take_bytes(&s, length, &r->header) || !take(&s, &r->nnames) ||
	    !take(&s, &r->left))
		return damaged;
	r->counts = flags & SVGTABLE_TWO ? 2 : 1;
	r->lossy = (flags & SVGTABLE_LOSSY) != 0;
	r->scale = (int)scale;
	reason = read_names(r, &s, names, most);
	if (reason != NULL)
		return reason;
	return open_columns(r, s) ? NULL : damaged;
}

/* Convert a scaled number to a count. */
static bool
take_count(struct svgread *r, int column)
{
	unsigned __int128 n, unit = 1;
	struct count *c = &r->count[column];
	int i;

	if (!take_wide(&r->self[column], &n))
		return false;
	for (i = 0; i < r->scale; i++)
		unit *= 10;
	if (n / unit > UINT64_MAX)
		return false;
	c->units = (uint64_t)(n / unit);
	c->micro = (uint32_t)(n % unit);
	for (i = r->scale; i < 6; i++)
		c->micro *= 10;
	return true;
}

/* Push the next frame onto the stack. */
static bool
take_frame(struct svgread *r)
{
	uint64_t up, name;
	int column;

	if (!take(&r->up, &up) || !take(&r->name, &name) || up > r->depth ||
	    name >= r->nnames)
		return false;
	r->depth -= (size_t)up;
	if (r->depth < r->same)
		r->same = r->depth;
	r->stack = mem_grow(r->stack, &r->cap, r->depth + 1, sizeof(*r->stack));
	r->stack[r->depth++] = r->id[name];
	for (column = 0; column < r->counts; column++) {
		if (!take_count(r, column))
			return false;
	}
	r->left--;
	return true;
}

/* True if a stack ends here: the frame has a count or no callees. */
static bool
is_stack(const struct svgread *r)
{
	return !count_iszero(r->count[0]) || !count_iszero(r->count[1]) ||
	       r->left == 0 || *r->up.p != 0;
}

int
svgread_next(struct svgread *r)
{
	r->same = r->depth;
	while (r->left > 0) {
		if (!take_frame(r))
			return -1;
		if (is_stack(r))
			return 1;
	}
	return 0;
}

void
svgread_close(struct svgread *r)
{
	free(r->id);
	free(r->stack);
}
