/* dname.c - names of D, as programmers wrote them. */
#include "dname.h"

#include "dtype.h"
#include "dvalue.h"

/*
 * libiberty has such a function, but without any limit: what is referred to
 * can double with each reference, and so can attempts to read what is
 * ambiguous, so that hundred bytes fill the memory, or take for ever.
 */

static bool identifier(struct dread *n);

/* Identifiers. */

static bool
is_template(const struct dread *n)
{
	return dread_is(n, STR("__T")) || dread_is(n, STR("__U"));
}

static bool
is_symbol(const struct dread *n)
{
	struct dread ahead = *n;
	const char *to;

	if (dread_peek(n, 0) != 'Q')
		return str_isdigit(dread_peek(n, 0)) || is_template(n);
	to = dread_reference(&ahead);
	return to != NULL && str_isdigit(*to);
}

/* Made by the compiler for what it is in: put before it. */
static bool
made_for(struct dread *n, struct str s)
{
	static const char *const names[][2] = {
		{ "__initZ", "initializer for " },
		{ "__vtblZ", "vtable for " },
		{ "__ClassZ", "ClassInfo for " },
		{ "__InterfaceZ", "Interface for " },
		{ "__ModuleInfoZ", "ModuleInfo for " }
	};
	const size_t end = n->out->len;
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (s.len + 1 != strlen(names[i][0]) || s.p + s.len == n->end ||
		    memcmp(s.p, names[i][0], s.len + 1) != 0 ||
		    end == n->qualified)
			continue;
		dread_put(n, names[i][1]);
		dread_rotate(n, n->qualified, end);
		n->out->len--; /* the point */
		return true;
	}
	return false;
}

static bool
plain(struct dread *n, size_t length)
{
	const struct str s = { n->p, length };

	if (length > (size_t)(n->end - n->p))
		return false;
	n->p += length;
	if (str_eq(s, STR("__ctor"))) {
		dread_put(n, "this");
	} else if (str_eq(s, STR("__dtor"))) {
		dread_put(n, "~this");
	} else if (str_eq(s, STR("__postblit")) && dread_is(n, STR("MFZ"))) {
		dread_put(n, "this(this)");
		n->p += 3;
	} else if (!made_for(n, s)) {
		buf_str(n->out, s);
	}
	return true;
}

static bool
plain_referred(struct dread *n)
{
	const char *to = dread_reference(n), *next = n->p;
	size_t length;

	if (to == NULL)
		return false;
	n->p = to;
	if (!dread_number(n, &length) || !plain(n, length))
		return false;
	n->p = next;
	return true;
}

/*
 * A symbol as an argument of a template.  Old compilers put its length before
 * it, and so a number before a number: where the second begins is tried out.
 */
static bool
argument_symbol(struct dread *n)
{
	const char *start = n->p, *p;
	const size_t len = n->out->len;
	size_t length;

	if (!str_isdigit(dread_peek(n, 0)) || !dread_number(n, &length))
		return dname_symbol(n);
	for (p = n->p; p > start; p--, length /= 10) {
		n->p = p;
		if (dname_symbol(n) && (size_t)(n->p - p) == length)
			return true;
		n->out->len = len;
	}
	n->p = start;
	return dname_symbol(n);
}

static bool
argument_value(struct dread *n)
{
	const size_t len = n->out->len;
	struct dread ahead = *n;
	const char *of = n->p;

	if (dread_peek(n, 0) == 'Q')
		of = dread_reference(&ahead);
	if (of == NULL || !dtype_read(n))
		return false;
	/* Only what is a structure is said with its type. */
	if (dread_peek(n, 0) != 'S')
		n->out->len = len;
	return dvalue_read(n, *of);
}

static bool
argument_raw(struct dread *n)
{
	size_t length;

	if (!dread_number(n, &length) || length > (size_t)(n->end - n->p))
		return false;
	buf_add(n->out, n->p, length);
	n->p += length;
	return true;
}

static bool
arguments(struct dread *n)
{
	bool first = true, good;

	for (; !dread_take(n, 'Z'); first = false) {
		if (!first)
			dread_put(n, ", ");
		dread_take(n, 'H');
		if (dread_take(n, 'S'))
			good = argument_symbol(n);
		else if (dread_take(n, 'T'))
			good = dtype_read(n);
		else if (dread_take(n, 'V'))
			good = argument_value(n);
		else
			good = dread_take(n, 'X') && argument_raw(n);
		if (!good)
			return false;
	}
	return true;
}

static bool
instance(struct dread *n)
{
	n->p += strlen("__T");
	if (!is_symbol(n) || dread_peek(n, 0) == '0' || !identifier(n))
		return false;
	dread_put(n, "!(");
	if (!arguments(n))
		return false;
	dread_put(n, ")");
	return true;
}

static bool
read_identifier(struct dread *n)
{
	const char *begin;
	size_t length;

	if (dread_peek(n, 0) == 'Q')
		return plain_referred(n);
	if (is_template(n))
		return instance(n);
	if (!dread_number(n, &length) || length == 0)
		return false;
	begin = n->p;
	if (length >= 5 && is_template(n))
		return instance(n) && (size_t)(n->p - begin) == length;
	return plain(n, length);
}

static bool
identifier(struct dread *n)
{
	bool done;

	if (!dread_step(n))
		return false;
	done = read_identifier(n);
	n->depth--;
	return done;
}

static bool
read_part(struct dread *n, bool modified)
{
	const char *p;
	size_t len;

	if (!identifier(n))
		return false;
	p = n->p;
	len = n->out->len;
	if ((dread_peek(n, 0) == 'M' ||
	     dtype_is_convention(dread_peek(n, 0))) &&
	    !dtype_named_function(n, modified)) {
		n->p = p;
		n->out->len = len;
	}
	return true;
}

static bool
read_qualified(struct dread *n, bool modified)
{
	bool first = true;

	do {
		if (dread_take(n, '0')) /* has no name */
			continue;
		if (!first)
			dread_put(n, ".");
		first = false;
		if (!read_part(n, modified))
			return false;
	} while (is_symbol(n));
	return !first;
}

bool
dname_qualified(struct dread *n, bool modified)
{
	const size_t outer = n->qualified;
	bool done;

	n->qualified = n->out->len;
	done = read_qualified(n, modified);
	n->qualified = outer;
	return done;
}

/* A symbol with its type, which is not said. */
static bool
whole(struct dread *n)
{
	size_t len;
	bool done;

	n->p += strlen("_D");
	if (!dname_qualified(n, true))
		return false;
	if (dread_take(n, 'Z'))
		return true;
	len = n->out->len;
	done = dtype_read(n);
	n->out->len = len;
	return done;
}

bool
dname_symbol(struct dread *n)
{
	return dread_is(n, STR("_D")) ?
		   whole(n) :
		   is_symbol(n) && dname_qualified(n, false);
}

bool
dname_demangle(struct buf *out, struct str name, size_t limit)
{
	const size_t before = out->len;
	struct dread n = { .start = name.p,
			   .p = name.p,
			   .end = name.p + name.len,
			   .last = name.p + name.len,
			   .out = out,
			   .limit = before + limit };

	if (str_eq(name, STR("_Dmain"))) {
		buf_str(out, STR("D main"));
		return true;
	}
	if (dread_is(&n, STR("_D")) && whole(&n) && n.p == n.end &&
	    out->len <= n.limit && out->len > before)
		return true;
	out->len = before;
	return false;
}
