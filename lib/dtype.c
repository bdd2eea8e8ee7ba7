/* dtype.c - types in names of D. */
#include "dtype.h"

#include "dname.h"
#include "dvalue.h"

/* Functions. */

bool
dtype_is_convention(char c)
{
	return c != '\0' && strchr("FUVWRY", c) != NULL;
}

static bool
convention(struct dread *n)
{
	const char c = dread_peek(n, 0);

	if (!dtype_is_convention(c))
		return false;
	n->p++;
	if (c == 'U')
		dread_put(n, "extern(C) ");
	else if (c == 'V')
		dread_put(n, "extern(Pascal) ");
	else if (c == 'W')
		dread_put(n, "extern(Windows) ");
	else if (c == 'R')
		dread_put(n, "extern(C++) ");
	else if (c == 'Y')
		dread_put(n, "extern(Objective-C) ");
	return true;
}

static bool
attributes(struct dread *n)
{
	static const char *const names['m' - 'a' + 1] = {
		"pure ",  "nothrow ", "ref ",  "@property ", "@trusted ",
		"@safe ", NULL,       NULL,    "@nogc ",     "return ",
		NULL,     "scope ",   "@live "
	};
	char c;

	while (dread_peek(n, 0) == 'N') {
		c = dread_peek(n, 1);
		/* These are of the first parameter. */
		if (c == 'g' || c == 'h' || c == 'k' || c == 'n')
			return true;
		if (c < 'a' || c > 'm')
			return false;
		dread_put(n, names[c - 'a']);
		n->p += 2;
	}
	return true;
}

/* What a method says of "this". */
static bool
modifiers(struct dread *n)
{
	for (;;) {
		if (dread_take(n, 'O')) {
			dread_put(n, " shared");
		} else if (dread_is(n, STR("Ng"))) {
			dread_put(n, " inout");
			n->p += 2;
		} else {
			break;
		}
	}
	if (dread_take(n, 'x'))
		dread_put(n, " const");
	else if (dread_take(n, 'y'))
		dread_put(n, " immutable");
	return dread_peek(n, 0) != 'N';
}

static void
storage(struct dread *n)
{
	if (dread_take(n, 'M'))
		dread_put(n, "scope ");
	if (dread_is(n, STR("Nk"))) {
		dread_put(n, "return ");
		n->p += 2;
	}
	if (dread_take(n, 'I')) {
		dread_put(n, "in ");
		if (dread_take(n, 'K'))
			dread_put(n, "ref ");
	} else if (dread_take(n, 'J')) {
		dread_put(n, "out ");
	} else if (dread_take(n, 'K')) {
		dread_put(n, "ref ");
	} else if (dread_take(n, 'L')) {
		dread_put(n, "lazy ");
	}
}

static bool
parameters(struct dread *n)
{
	bool first = true;

	dread_put(n, "(");
	for (; !dread_take(n, 'Z'); first = false) {
		if (dread_take(n, 'X')) {
			dread_put(n, "...");
			break;
		}
		if (!first)
			dread_put(n, ", ");
		if (dread_take(n, 'Y')) {
			dread_put(n, "...");
			break;
		}
		storage(n);
		if (!dtype_read(n))
			return false;
	}
	dread_put(n, ")");
	return true;
}

/* They say first what is read last: what is returned. */
static bool
function(struct dread *n)
{
	size_t attribute, parameter, returned;

	if (!convention(n))
		return false;
	attribute = n->out->len;
	dread_put(n, " ");
	if (!attributes(n))
		return false;
	parameter = n->out->len;
	if (!parameters(n))
		return false;
	returned = n->out->len;
	if (!dtype_read(n))
		return false;
	dread_rotate(n, attribute, returned);
	returned = n->out->len - returned;
	dread_rotate(n, attribute + returned, parameter + returned);
	return true;
}

bool
dtype_named_function(struct dread *n, bool modified)
{
	const size_t modifier = n->out->len;
	size_t parameter;

	if (dread_take(n, 'M') && !modifiers(n))
		return false;
	if (!modified)
		n->out->len = modifier;
	parameter = n->out->len;
	if (!convention(n) || !attributes(n))
		return false;
	n->out->len = parameter;
	if (!parameters(n) || n->p == n->end)
		return false;
	dread_rotate(n, modifier, parameter);
	return true;
}

/* Types. */

static bool
around(struct dread *n, const char *before, const char *behind)
{
	dread_put(n, before);
	if (!dtype_read(n))
		return false;
	dread_put(n, behind);
	return true;
}

static bool
array(struct dread *n)
{
	const struct str rest = str_range(n->p, n->end);
	size_t digits = 0;

	while (digits < rest.len && str_isdigit(rest.p[digits]))
		digits++;
	n->p += digits;
	if (!around(n, "", "["))
		return false;
	buf_add(n->out, rest.p, digits);
	dread_put(n, "]");
	return true;
}

static bool
map(struct dread *n)
{
	const size_t key = n->out->len;
	size_t element;

	if (!around(n, "[", "]"))
		return false;
	element = n->out->len;
	if (!dtype_read(n))
		return false;
	dread_rotate(n, key, element);
	return true;
}

static bool
delegate(struct dread *n)
{
	const size_t modifier = n->out->len;
	size_t behind;

	if (!modifiers(n))
		return false;
	behind = n->out->len;
	if (!(dread_peek(n, 0) == 'Q' ? dread_referred(n, function) :
					function(n)))
		return false;
	dread_put(n, "delegate");
	dread_rotate(n, modifier, behind);
	return true;
}

static bool
basic(struct dread *n, char c)
{
	static const char *const names['w' - 'a' + 1] = {
		"char",    "bool",   "creal",   "double",       "real",
		"float",   "byte",   "ubyte",   "int",          "ireal",
		"uint",    "long",   "ulong",   "typeof(null)", "ifloat",
		"idouble", "cfloat", "cdouble", "short",        "ushort",
		"wchar",   "void",   "dchar"
	};

	if (c == 'z' && (dread_is(n, STR("i")) || dread_is(n, STR("k"))))
		dread_put(n, *n->p++ == 'i' ? "cent" : "ucent");
	else if (c >= 'a' && c <= 'w')
		dread_put(n, names[c - 'a']);
	else
		return false;
	return true;
}

static bool
read_type(struct dread *n)
{
	const char c = dread_peek(n, 0);

	if (n->p == n->end)
		return false;
	if (c == 'Q')
		return dread_referred(n, dtype_read);
	if (dtype_is_convention(c) ||
	    (c == 'P' && dtype_is_convention(dread_peek(n, 1)))) {
		n->p += c == 'P';
		if (!function(n))
			return false;
		dread_put(n, "function");
		return true;
	}
	n->p++;
	switch (c) {
	case 'O':
		return around(n, "shared(", ")");
	case 'x':
		return around(n, "const(", ")");
	case 'y':
		return around(n, "immutable(", ")");
	case 'N':
		if (dread_take(n, 'g'))
			return around(n, "inout(", ")");
		if (dread_take(n, 'h'))
			return around(n, "__vector(", ")");
		dread_put(n, "typeof(*null)");
		return dread_take(n, 'n');
	case 'A':
		return around(n, "", "[]");
	case 'G':
		return array(n);
	case 'H':
		return map(n);
	case 'P':
		return around(n, "", "*");
	case 'C':
	case 'S':
	case 'E':
	case 'T':
		return dname_qualified(n, false);
	case 'D':
		return delegate(n);
	case 'B':
		return dvalue_elements(n, "Tuple!(", 'B', ")");
	default:
		return basic(n, c);
	}
}

bool
dtype_read(struct dread *n)
{
	bool done;

	if (!dread_step(n))
		return false;
	done = read_type(n);
	n->depth--;
	return done;
}
