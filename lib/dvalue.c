/* dvalue.c - values in names of D. */
#include "dvalue.h"

#include "dname.h"
#include "dtype.h"

bool
dvalue_elements(struct dread *n, const char *before, char kind,
		const char *behind)
{
	size_t i, count;

	if (!dread_number(n, &count))
		return false;
	dread_put(n, before);
	for (i = 0; i < count; i++) {
		if (i > 0)
			dread_put(n, ", ");
		if (kind == 'B' ? !dtype_read(n) : !dvalue_read(n, '\0'))
			return false;
		if (kind != 'H')
			continue;
		dread_put(n, ":");
		if (!dvalue_read(n, '\0'))
			return false;
	}
	dread_put(n, behind);
	return true;
}

/* A character as a number, its type by letter. */
static bool
character(struct dread *n, char of)
{
	size_t c;

	if (!dread_number(n, &c))
		return false;
	if (of == 'a' && c >= ' ' && c <= '~')
		buf_printf(n->out, "'%c'", (int)c);
	else if (of == 'a')
		buf_printf(n->out, "'\\x%02zx'", c);
	else if (of == 'u')
		buf_printf(n->out, "'\\u%04zx'", c);
	else
		buf_printf(n->out, "'\\U%08zx'", c);
	return true;
}

static void
digits(struct dread *n)
{
	for (; str_isdigit(dread_peek(n, 0)); n->p++)
		buf_char(n->out, *n->p);
}

static bool
integer(struct dread *n, char of)
{
	size_t c;

	if (!str_isdigit(dread_peek(n, 0)))
		return false;
	if (of == 'a' || of == 'u' || of == 'w')
		return character(n, of);
	if (of == 'b') {
		if (!dread_number(n, &c))
			return false;
		dread_put(n, c != 0 ? "true" : "false");
		return true;
	}
	digits(n);
	if (of == 'h' || of == 't' || of == 'k')
		dread_put(n, "u");
	else if (of == 'l')
		dread_put(n, "L");
	else if (of == 'm')
		dread_put(n, "uL");
	return true;
}

static int
hex(char c)
{
	if (str_isdigit(c))
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool
named_real(struct dread *n)
{
	static const char *const names[][2] = { { "NAN", "NaN" },
						{ "INF", "Inf" },
						{ "NINF", "-Inf" } };
	size_t i;

	for (i = 0; i < 3; i++) {
		if (!dread_is(n, str_of(names[i][0])))
			continue;
		n->p += strlen(names[i][0]);
		dread_put(n, names[i][1]);
		return true;
	}
	return false;
}

/* In hexadecimal: a digit, more of them behind a point, "P", the exponent. */
static bool
real(struct dread *n)
{
	if (named_real(n))
		return true;
	if (dread_take(n, 'N'))
		dread_put(n, "-");
	if (hex(dread_peek(n, 0)) < 0)
		return false;
	buf_printf(n->out, "0x%c.", *n->p++);
	for (; hex(dread_peek(n, 0)) >= 0; n->p++)
		buf_char(n->out, *n->p);
	if (!dread_take(n, 'P'))
		return false;
	dread_put(n, "p");
	if (dread_take(n, 'N'))
		dread_put(n, "-");
	digits(n);
	return true;
}

static void
put_escaped(struct dread *n, int c)
{
	static const char letters[] = "\tt\nn\rr\ff\vv";
	const char *escape = c == 0 ? NULL : strchr(letters, c);

	if (c >= ' ' && c <= '~')
		buf_char(n->out, (char)c);
	else if (escape != NULL)
		buf_printf(n->out, "\\%c", escape[1]);
	else
		buf_printf(n->out, "\\x%.2s", n->p);
}

/* Its length, "_", and its bytes in hexadecimal. */
static bool
string(struct dread *n, char of)
{
	size_t length;
	int high, low;

	if (!dread_number(n, &length) || !dread_take(n, '_') ||
	    length > (size_t)(n->end - n->p) / 2)
		return false;
	dread_put(n, "\"");
	for (; length > 0; length--, n->p += 2) {
		high = hex(n->p[0]);
		low = hex(n->p[1]);
		if (high < 0 || low < 0)
			return false;
		put_escaped(n, high << 4 | low);
	}
	dread_put(n, "\"");
	if (of != 'a')
		buf_char(n->out, of);
	return true;
}

static bool
complex(struct dread *n)
{
	if (!real(n) || !dread_take(n, 'c'))
		return false;
	dread_put(n, "+");
	if (!real(n))
		return false;
	dread_put(n, "i");
	return true;
}

static bool
read_value(struct dread *n, char of)
{
	const char c = dread_peek(n, 0);

	if (str_isdigit(c)) /* of compilers before 2010 */
		return integer(n, of);
	if (n->p == n->end)
		return false;
	n->p++;
	switch (c) {
	case 'n':
		dread_put(n, "null");
		return true;
	case 'N':
		dread_put(n, "-");
		return integer(n, of);
	case 'i':
		return integer(n, of);
	case 'e':
		return real(n);
	case 'c':
		return complex(n);
	case 'a':
	case 'w':
	case 'd':
		return string(n, c);
	case 'A':
		return dvalue_elements(n, "[", of == 'H' ? 'H' : 'A', "]");
	case 'S':
		return dvalue_elements(n, "(", 'A', ")");
	case 'f':
		return dread_is(n, STR("_D")) && dname_symbol(n);
	default:
		return false;
	}
}

bool
dvalue_read(struct dread *n, char of)
{
	bool done;

	if (!dread_step(n))
		return false;
	done = read_value(n, of);
	n->depth--;
	return done;
}
