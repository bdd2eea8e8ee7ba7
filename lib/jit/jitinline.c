/* jitinline.c - which functions compiled code has inlined, by address. */
#include "jit/jitinline.h"

#include "base/cursor.h"
#include "base/mem.h"

#include <stdlib.h>

struct inline_method {
	struct str name, file;
};

/* A place in a method, and where that is inlined. */
struct inline_scope {
	uint32_t parent; /* plus 1; 0: of the function itself */
	uint32_t method;
	int32_t bci, line;
	uint32_t depth; /* from 1 */
};

/* A scope, and the offset in the code at whose end it is. */
struct inline_place {
	uint32_t offset, scope;
};

struct jitinline {
	char *bytes;
	struct inline_method *method;
	struct inline_scope *scope;
	struct inline_place *place; /* by offset */
	uint32_t methods, scopes, places;
};

/* Text up to a NUL. */
static struct str
cut_text(struct cursor *c)
{
	const struct str rest = { c->p, cursor_left(c) };
	const char *nul = str_find(rest, '\0');

	if (nul == NULL) {
		c->bad = true;
		return STR("");
	}
	c->p = nul + 1;
	return str_range(rest.p, nul);
}

static bool
read_methods(struct jitinline *t, struct cursor *c)
{
	uint32_t i;

	t->method = mem_zero((size_t)t->methods + 1, sizeof(*t->method));
	for (i = 0; i < t->methods; i++) {
		t->method[i].name = cut_text(c);
		t->method[i].file = cut_text(c);
	}
	return !c->bad;
}

/* A parent comes before its children, so there are no loops. */
static bool
read_scopes(struct jitinline *t, struct cursor *c)
{
	struct inline_scope *s;
	uint32_t i;

	t->scope = mem_zero((size_t)t->scopes + 1, sizeof(*t->scope));
	for (i = 0; i < t->scopes; i++) {
		s = &t->scope[i];
		s->parent = cursor_u32(c);
		s->method = cursor_u32(c);
		s->bci = (int32_t)cursor_u32(c);
		s->line = (int32_t)cursor_u32(c);
		if (c->bad || s->parent > i || s->method >= t->methods)
			return false;
		s->depth = 1;
		if (s->parent > 0)
			s->depth += t->scope[s->parent - 1].depth;
		if (s->depth > JITINLINE_DEPTH)
			return false;
	}
	return true;
}

static bool
read_places(struct jitinline *t, struct cursor *c)
{
	uint32_t i;

	t->place = mem_zero((size_t)t->places + 1, sizeof(*t->place));
	for (i = 0; i < t->places; i++) {
		t->place[i].offset = cursor_u32(c);
		t->place[i].scope = cursor_u32(c);
		if (c->bad || t->place[i].scope >= t->scopes ||
		    (i > 0 && t->place[i].offset < t->place[i - 1].offset))
			return false;
	}
	return true;
}

/* The numbers are checked against the size of what they count. */
static bool
read_table(struct jitinline *t, struct cursor *c)
{
	const size_t method = 2, scope = 16, place = 8;
	size_t left;

	cursor_u64(c); /* the magic */
	t->methods = cursor_u32(c);
	t->scopes = cursor_u32(c);
	t->places = cursor_u32(c);
	left = cursor_left(c);
	return !c->bad && t->methods <= left / method &&
	       t->scopes <= left / scope && t->places <= left / place &&
	       read_methods(t, c) && read_scopes(t, c) && read_places(t, c);
}

struct jitinline *
jitinline_new(struct str table, bool swapped)
{
	struct jitinline *t = mem_zero(1, sizeof(*t));
	struct cursor c;

	t->bytes = mem_alloc(table.len + 1);
	memcpy(t->bytes, table.p, table.len);
	c = cursor_of((struct str){ t->bytes, table.len }, swapped);
	if (read_table(t, &c))
		return t;
	jitinline_free(t);
	return NULL;
}

void
jitinline_free(struct jitinline *t)
{
	if (t == NULL)
		return;
	free(t->bytes);
	free(t->method);
	free(t->scope);
	free(t->place);
	free(t);
}

size_t
jitinline_stretches(const struct jitinline *t)
{
	return 2 * (size_t)t->places + 1;
}

/* The number of places at or before an offset. */
static size_t
count_before(const struct jitinline *t, uint64_t offset)
{
	size_t low = 0, high = t->places, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (t->place[mid].offset <= offset)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* 2i + 1 is the call that returns to place i, 2i is between i - 1 and i. */
size_t
jitinline_stretch(const struct jitinline *t, uint64_t offset, bool is_call)
{
	const size_t i = count_before(t, offset);

	return 2 * i +
	       (is_call && i < t->places && t->place[i].offset == offset + 1);
}

/* The scopes of a place, outermost first; how many. */
static size_t
list_scopes(const struct jitinline *t, size_t place,
	    const struct inline_scope *list[JITINLINE_DEPTH])
{
	const struct inline_scope *s = &t->scope[t->place[place].scope];
	const size_t n = s->depth;
	size_t i;

	for (i = n; i-- > 0;) {
		list[i] = s;
		if (i > 0)
			s = &t->scope[s->parent - 1];
	}
	return n;
}

/* How many of the outer scopes two places have in common. */
static size_t
count_common(const struct inline_scope *const *a, size_t n,
	     const struct inline_scope *const *b, size_t m)
{
	size_t i = 0;

	while (i < n && i < m && a[i]->method == b[i]->method) {
		i++;
		/* Another call inlines another function. */
		if (a[i - 1]->bci != b[i - 1]->bci)
			break;
	}
	return i;
}

size_t
jitinline_frames(const struct jitinline *t, size_t stretch,
		 struct jitinline_frame frame[JITINLINE_DEPTH])
{
	const struct inline_scope *here[JITINLINE_DEPTH] = { NULL };
	const struct inline_scope *before[JITINLINE_DEPTH] = { NULL };
	const struct inline_method *method;
	const size_t place = stretch / 2;
	size_t n, i;

	if (place >= t->places)
		return 0;
	n = list_scopes(t, place, here);
	if (stretch % 2 == 0 && place == 0)
		n = n > 1 ? 1 : n;
	else if (stretch % 2 == 0)
		n = count_common(here, n, before,
				 list_scopes(t, place - 1, before));
	for (i = 0; i < n; i++) {
		method = &t->method[here[i]->method];
		frame[i] = (struct jitinline_frame){ method->name, method->file,
						     here[i]->line };
	}
	return n;
}
