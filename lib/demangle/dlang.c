/* dlang.c - demangler for the language D. */
#include "demangle/dlang.h"

/*
 * libiberty has a demangler for D, but without limits.  Each back reference can
 * double the output, and each ambiguity can double the attempts to parse it: a
 * hundred bytes can fill the memory or take forever.
 */

/* Long names in template libraries take some thousand steps, dozens deep. */
#define MAX_STEPS 16384
#define MAX_DEPTH 256

/*
 * State of the parser.  Each parse function reads a part of the name at p and
 * appends its readable form to out.  It returns false if there is another part
 * at p, or a limit is reached.  A caller that tries another part then restores
 * p and the length of out itself.
 */
struct dlang {
	const char *start, *p, *end;
	const char *last; /* follow only back references before this place */
	struct buf *out;
	size_t qualified; /* in out: start of the current qualified name */
	size_t limit;     /* on the length of out */
	unsigned steps, depth;
};

static bool parse_symbol_name(struct dlang *d);
static bool parse_qualified_name(struct dlang *d, bool with_modifiers);
static bool parse_symbol(struct dlang *d);
static bool parse_type(struct dlang *d);
static bool parse_value(struct dlang *d, char type);

/* Scanning. */

/* The i-th character from p; NUL after the end. */
static char
peek(const struct dlang *d, size_t i)
{
	return i < (size_t)(d->end - d->p) ? d->p[i] : '\0';
}

static bool
next_is(const struct dlang *d, struct str s)
{
	return str_starts(str_range(d->p, d->end), s);
}

static bool
accept(struct dlang *d, char c)
{
	if (peek(d, 0) != c || d->p == d->end)
		return false;
	d->p++;
	return true;
}

static void
emit(struct dlang *d, const char *s)
{
	buf_str(d->out, str_of(s));
}

/*
 * Call this before each part that may contain others.  Returns false if a limit
 * is reached; else decrement the depth after the part.
 */
static bool
enter(struct dlang *d)
{
	if (d->steps == MAX_STEPS || d->depth == MAX_DEPTH ||
	    d->out->len > d->limit)
		return false;
	d->steps++;
	d->depth++;
	return true;
}

static void
reverse(char *p, size_t n)
{
	size_t i;
	char c;

	for (i = 0; i < n / 2; i++) {
		c = p[i];
		p[i] = p[n - 1 - i];
		p[n - 1 - i] = c;
	}
}

/* Move the output between first and middle to the end of the output. */
static void
rotate(struct dlang *d, size_t first, size_t middle)
{
	char *p = d->out->p;

	reverse(p + first, middle - first);
	reverse(p + middle, d->out->len - middle);
	reverse(p + first, d->out->len - first);
}

static bool
parse_number(struct dlang *d, size_t *number)
{
	size_t digit;

	if (!str_isdigit(peek(d, 0)))
		return false;
	for (*number = 0; str_isdigit(peek(d, 0)); d->p++) {
		digit = (size_t)(*d->p - '0');
		if (*number > (UINT32_MAX - digit) / 10)
			return false;
		*number = *number * 10 + digit;
	}
	return true;
}

/*
 * The target of a back reference, NULL if there is none: "Q" and the distance
 * back from it in base 26, whose last digit is in lower case.
 */
static const char *
resolve_backref(struct dlang *d)
{
	const char *q = d->p++;
	size_t back = 0;
	char c;

	do {
		c = peek(d, 0);
		if (c >= 'a' && c <= 'z')
			back = back * 26 + (size_t)(c - 'a');
		else if (c >= 'A' && c <= 'Z')
			back = back * 26 + (size_t)(c - 'A');
		else
			return NULL;
		d->p++;
	} while (c < 'a' && back <= INT32_MAX);
	return back > 0 && back <= (size_t)(q - d->start) ? q - back : NULL;
}

/* Parse the target of the back reference at p. */
static bool
parse_backref(struct dlang *d, bool (*parse)(struct dlang *))
{
	const char *last = d->last, *q = d->p, *to = resolve_backref(d),
		   *next = d->p;
	bool ok;

	if (q >= last || to == NULL)
		return false;
	d->last = q;
	d->p = to;
	ok = parse(d);
	d->last = last;
	d->p = next;
	return ok;
}

/* Values. */

/*
 * A number, and that many elements of a kind: 'B' types, 'A' values, 'H' pairs
 * of values.
 */
static bool
parse_elements(struct dlang *d, const char *before, char kind,
	       const char *after)
{
	size_t i, count;

	if (!parse_number(d, &count))
		return false;
	emit(d, before);
	for (i = 0; i < count; i++) {
		if (i > 0)
			emit(d, ", ");
		if (kind == 'B' ? !parse_type(d) : !parse_value(d, '\0'))
			return false;
		if (kind != 'H')
			continue;
		emit(d, ":");
		if (!parse_value(d, '\0'))
			return false;
	}
	emit(d, after);
	return true;
}

/* A character, mangled as its number. */
static bool
parse_character(struct dlang *d, char type)
{
	size_t c;

	if (!parse_number(d, &c))
		return false;
	if (type == 'a' && c >= ' ' && c <= '~')
		buf_printf(d->out, "'%c'", (int)c);
	else if (type == 'a')
		buf_printf(d->out, "'\\x%02zx'", c);
	else if (type == 'u')
		buf_printf(d->out, "'\\u%04zx'", c);
	else
		buf_printf(d->out, "'\\U%08zx'", c);
	return true;
}

static void
copy_digits(struct dlang *d)
{
	for (; str_isdigit(peek(d, 0)); d->p++)
		buf_char(d->out, *d->p);
}

static bool
parse_integer(struct dlang *d, char type)
{
	size_t c;

	if (!str_isdigit(peek(d, 0)))
		return false;
	if (type == 'a' || type == 'u' || type == 'w')
		return parse_character(d, type);
	if (type == 'b') {
		if (!parse_number(d, &c))
			return false;
		emit(d, c != 0 ? "true" : "false");
		return true;
	}
	copy_digits(d);
	if (type == 'h' || type == 't' || type == 'k')
		emit(d, "u");
	else if (type == 'l')
		emit(d, "L");
	else if (type == 'm')
		emit(d, "uL");
	return true;
}

static bool
parse_named_real(struct dlang *d)
{
	static const char *const names[][2] = { { "NAN", "NaN" },
						{ "INF", "Inf" },
						{ "NINF", "-Inf" } };
	size_t i;

	for (i = 0; i < 3; i++) {
		if (!next_is(d, str_of(names[i][0])))
			continue;
		d->p += strlen(names[i][0]);
		emit(d, names[i][1]);
		return true;
	}
	return false;
}

/* "NFF8P1": sign, hexadecimal digits with a point after the first, exponent. */
static bool
parse_real(struct dlang *d)
{
	if (parse_named_real(d))
		return true;
	if (accept(d, 'N'))
		emit(d, "-");
	if (str_hexdigit(peek(d, 0)) < 0)
		return false;
	buf_printf(d->out, "0x%c.", *d->p++);
	for (; str_hexdigit(peek(d, 0)) >= 0; d->p++)
		buf_char(d->out, *d->p);
	if (!accept(d, 'P'))
		return false;
	emit(d, "p");
	if (accept(d, 'N'))
		emit(d, "-");
	copy_digits(d);
	return true;
}

static void
emit_escaped(struct dlang *d, int c)
{
	static const char letters[] = "\tt\nn\rr\ff\vv";
	const char *escape = c == 0 ? NULL : strchr(letters, c);

	if (c >= ' ' && c <= '~')
		buf_char(d->out, (char)c);
	else if (escape != NULL)
		buf_printf(d->out, "\\%c", escape[1]);
	else
		buf_printf(d->out, "\\x%.2s", d->p);
}

/* "3_616263": length and bytes in hexadecimal. */
static bool
parse_string(struct dlang *d, char type)
{
	size_t length;
	int high, low;

	if (!parse_number(d, &length) || !accept(d, '_') ||
	    length > (size_t)(d->end - d->p) / 2)
		return false;
	emit(d, "\"");
	for (; length > 0; length--, d->p += 2) {
		high = str_hexdigit(d->p[0]);
		low = str_hexdigit(d->p[1]);
		if (high < 0 || low < 0)
			return false;
		emit_escaped(d, high << 4 | low);
	}
	emit(d, "\"");
	if (type != 'a')
		buf_char(d->out, type);
	return true;
}

static bool
parse_complex(struct dlang *d)
{
	if (!parse_real(d) || !accept(d, 'c'))
		return false;
	emit(d, "+");
	if (!parse_real(d))
		return false;
	emit(d, "i");
	return true;
}

static bool
parse_value_body(struct dlang *d, char type)
{
	const char c = peek(d, 0);

	if (str_isdigit(c)) /* compilers before 2010 */
		return parse_integer(d, type);
	if (d->p == d->end)
		return false;
	d->p++;
	switch (c) {
	case 'n':
		emit(d, "null");
		return true;
	case 'N':
		emit(d, "-");
		return parse_integer(d, type);
	case 'i':
		return parse_integer(d, type);
	case 'e':
		return parse_real(d);
	case 'c':
		return parse_complex(d);
	case 'a':
	case 'w':
	case 'd':
		return parse_string(d, c);
	case 'A':
		return parse_elements(d, "[", type == 'H' ? 'H' : 'A', "]");
	case 'S':
		return parse_elements(d, "(", 'A', ")");
	case 'f':
		return next_is(d, STR("_D")) && parse_symbol(d);
	default:
		return false;
	}
}

/* A value; type is the first letter of its type, NUL if unknown. */
static bool
parse_value(struct dlang *d, char type)
{
	bool ok;

	if (!enter(d))
		return false;
	ok = parse_value_body(d, type);
	d->depth--;
	return ok;
}

/* Functions. */

static bool
is_call_convention(char c)
{
	return c != '\0' && strchr("FUVWRY", c) != NULL;
}

static bool
parse_call_convention(struct dlang *d)
{
	const char c = peek(d, 0);

	if (!is_call_convention(c))
		return false;
	d->p++;
	if (c == 'U')
		emit(d, "extern(C) ");
	else if (c == 'V')
		emit(d, "extern(Pascal) ");
	else if (c == 'W')
		emit(d, "extern(Windows) ");
	else if (c == 'R')
		emit(d, "extern(C++) ");
	else if (c == 'Y')
		emit(d, "extern(Objective-C) ");
	return true;
}

static bool
parse_func_attrs(struct dlang *d)
{
	static const char *const names['m' - 'a' + 1] = {
		"pure ",  "nothrow ", "ref ",  "@property ", "@trusted ",
		"@safe ", NULL,       NULL,    "@nogc ",     "return ",
		NULL,     "scope ",   "@live "
	};
	char c;

	while (peek(d, 0) == 'N') {
		c = peek(d, 1);
		/* The first parameter begins with these. */
		if (c == 'g' || c == 'h' || c == 'k' || c == 'n')
			return true;
		if (c < 'a' || c > 'm')
			return false;
		emit(d, names[c - 'a']);
		d->p += 2;
	}
	return true;
}

/* Modifiers of "this" in a method or delegate. */
static bool
parse_type_modifiers(struct dlang *d)
{
	for (;;) {
		if (accept(d, 'O')) {
			emit(d, " shared");
		} else if (next_is(d, STR("Ng"))) {
			emit(d, " inout");
			d->p += 2;
		} else {
			break;
		}
	}
	if (accept(d, 'x'))
		emit(d, " const");
	else if (accept(d, 'y'))
		emit(d, " immutable");
	return peek(d, 0) != 'N';
}

static void
parse_storage_classes(struct dlang *d)
{
	if (accept(d, 'M'))
		emit(d, "scope ");
	if (next_is(d, STR("Nk"))) {
		emit(d, "return ");
		d->p += 2;
	}
	if (accept(d, 'I')) {
		emit(d, "in ");
		if (accept(d, 'K'))
			emit(d, "ref ");
	} else if (accept(d, 'J')) {
		emit(d, "out ");
	} else if (accept(d, 'K')) {
		emit(d, "ref ");
	} else if (accept(d, 'L')) {
		emit(d, "lazy ");
	}
}

static bool
parse_parameters(struct dlang *d)
{
	bool first = true;

	emit(d, "(");
	for (; !accept(d, 'Z'); first = false) {
		if (accept(d, 'X')) {
			emit(d, "...");
			break;
		}
		if (!first)
			emit(d, ", ");
		if (accept(d, 'Y')) {
			emit(d, "...");
			break;
		}
		parse_storage_classes(d);
		if (!parse_type(d))
			return false;
	}
	emit(d, ")");
	return true;
}

/*
 * Mangled: attributes, parameters, return type.  Readable: return type,
 * parameters, attributes.
 */
static bool
parse_function(struct dlang *d)
{
	size_t attributes, parameters, result;

	if (!parse_call_convention(d))
		return false;
	attributes = d->out->len;
	emit(d, " ");
	if (!parse_func_attrs(d))
		return false;
	parameters = d->out->len;
	if (!parse_parameters(d))
		return false;
	result = d->out->len;
	if (!parse_type(d))
		return false;
	rotate(d, attributes, result);
	result = d->out->len - result;
	rotate(d, attributes + result, parameters + result);
	return true;
}

/*
 * The rest of a function in a qualified name: prints its parameters and, if
 * wanted, the modifiers of "this", but not its result.
 */
static bool
parse_function_suffix(struct dlang *d, bool with_modifiers)
{
	const size_t modifiers = d->out->len;
	size_t parameters;

	if (accept(d, 'M') && !parse_type_modifiers(d))
		return false;
	if (!with_modifiers)
		d->out->len = modifiers;
	parameters = d->out->len;
	if (!parse_call_convention(d) || !parse_func_attrs(d))
		return false;
	d->out->len = parameters;
	if (!parse_parameters(d) || d->p == d->end)
		return false;
	rotate(d, modifiers, parameters);
	return true;
}

/* Types. */

static bool
parse_type_between(struct dlang *d, const char *before, const char *after)
{
	emit(d, before);
	if (!parse_type(d))
		return false;
	emit(d, after);
	return true;
}

static bool
parse_static_array(struct dlang *d)
{
	const struct str rest = str_range(d->p, d->end);
	size_t digits = 0;

	while (digits < rest.len && str_isdigit(rest.p[digits]))
		digits++;
	d->p += digits;
	if (!parse_type_between(d, "", "["))
		return false;
	buf_add(d->out, rest.p, digits);
	emit(d, "]");
	return true;
}

static bool
parse_assoc_array(struct dlang *d)
{
	const size_t key = d->out->len;
	size_t element;

	if (!parse_type_between(d, "[", "]"))
		return false;
	element = d->out->len;
	if (!parse_type(d))
		return false;
	rotate(d, key, element);
	return true;
}

static bool
parse_delegate(struct dlang *d)
{
	const size_t modifiers = d->out->len;
	size_t function;

	if (!parse_type_modifiers(d))
		return false;
	function = d->out->len;
	if (!(peek(d, 0) == 'Q' ? parse_backref(d, parse_function) :
				  parse_function(d)))
		return false;
	emit(d, "delegate");
	rotate(d, modifiers, function);
	return true;
}

static bool
parse_basic_type(struct dlang *d, char c)
{
	static const char *const names['w' - 'a' + 1] = {
		"char",    "bool",   "creal",   "double",       "real",
		"float",   "byte",   "ubyte",   "int",          "ireal",
		"uint",    "long",   "ulong",   "typeof(null)", "ifloat",
		"idouble", "cfloat", "cdouble", "short",        "ushort",
		"wchar",   "void",   "dchar"
	};

	if (c == 'z' && (next_is(d, STR("i")) || next_is(d, STR("k"))))
		emit(d, *d->p++ == 'i' ? "cent" : "ucent");
	else if (c >= 'a' && c <= 'w')
		emit(d, names[c - 'a']);
	else
		return false;
	return true;
}

static bool
parse_type_body(struct dlang *d)
{
	const char c = peek(d, 0);

	if (d->p == d->end)
		return false;
	if (c == 'Q')
		return parse_backref(d, parse_type);
	if (is_call_convention(c) ||
	    (c == 'P' && is_call_convention(peek(d, 1)))) {
		d->p += c == 'P';
		if (!parse_function(d))
			return false;
		emit(d, "function");
		return true;
	}
	d->p++;
	switch (c) {
	case 'O':
		return parse_type_between(d, "shared(", ")");
	case 'x':
		return parse_type_between(d, "const(", ")");
	case 'y':
		return parse_type_between(d, "immutable(", ")");
	case 'N':
		if (accept(d, 'g'))
			return parse_type_between(d, "inout(", ")");
		if (accept(d, 'h'))
			return parse_type_between(d, "__vector(", ")");
		emit(d, "typeof(*null)");
		return accept(d, 'n');
	case 'A':
		return parse_type_between(d, "", "[]");
	case 'G':
		return parse_static_array(d);
	case 'H':
		return parse_assoc_array(d);
	case 'P':
		return parse_type_between(d, "", "*");
	case 'C':
	case 'S':
	case 'E':
	case 'T':
		return parse_qualified_name(d, false);
	case 'D':
		return parse_delegate(d);
	case 'B':
		return parse_elements(d, "Tuple!(", 'B', ")");
	default:
		return parse_basic_type(d, c);
	}
}

static bool
parse_type(struct dlang *d)
{
	bool ok;

	if (!enter(d))
		return false;
	ok = parse_type_body(d);
	d->depth--;
	return ok;
}

/* Names. */

static bool
is_template(const struct dlang *d)
{
	return next_is(d, STR("__T")) || next_is(d, STR("__U"));
}

static bool
is_symbol_name(const struct dlang *d)
{
	struct dlang ahead = *d;
	const char *to;

	if (peek(d, 0) != 'Q')
		return str_isdigit(peek(d, 0)) || is_template(d);
	to = resolve_backref(&ahead);
	return to != NULL && str_isdigit(*to);
}

/*
 * A symbol that the compiler generates for a module or a type: its description
 * goes in front of the name so far.
 */
static bool
parse_generated(struct dlang *d, struct str s)
{
	static const char *const names[][2] = {
		{ "__initZ", "initializer for " },
		{ "__vtblZ", "vtable for " },
		{ "__ClassZ", "ClassInfo for " },
		{ "__InterfaceZ", "Interface for " },
		{ "__ModuleInfoZ", "ModuleInfo for " }
	};
	const size_t end = d->out->len;
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (s.len + 1 != strlen(names[i][0]) || s.p + s.len == d->end ||
		    memcmp(s.p, names[i][0], s.len + 1) != 0 ||
		    end == d->qualified)
			continue;
		emit(d, names[i][1]);
		rotate(d, d->qualified, end);
		d->out->len--; /* the dot */
		return true;
	}
	return false;
}

static bool
parse_lname(struct dlang *d, size_t length)
{
	const struct str s = { d->p, length };

	if (length > (size_t)(d->end - d->p))
		return false;
	d->p += length;
	if (str_eq(s, STR("__ctor"))) {
		emit(d, "this");
	} else if (str_eq(s, STR("__dtor"))) {
		emit(d, "~this");
	} else if (str_eq(s, STR("__postblit")) && next_is(d, STR("MFZ"))) {
		emit(d, "this(this)");
		d->p += 3;
	} else if (!parse_generated(d, s)) {
		buf_str(d->out, s);
	}
	return true;
}

static bool
parse_lname_backref(struct dlang *d)
{
	const char *to = resolve_backref(d), *next = d->p;
	size_t length;

	if (to == NULL)
		return false;
	d->p = to;
	if (!parse_number(d, &length) || !parse_lname(d, length))
		return false;
	d->p = next;
	return true;
}

/*
 * A symbol as the argument of a template.  Old compilers write the length of
 * the symbol before it.  The symbol begins with a number too, so try each digit
 * as its start.
 */
static bool
parse_symbol_arg(struct dlang *d)
{
	const char *start = d->p, *p;
	const size_t len = d->out->len;
	size_t length;

	if (!str_isdigit(peek(d, 0)) || !parse_number(d, &length))
		return parse_symbol(d);
	for (p = d->p; p > start; p--, length /= 10) {
		d->p = p;
		if (parse_symbol(d) && (size_t)(d->p - p) == length)
			return true;
		d->out->len = len;
	}
	d->p = start;
	return parse_symbol(d);
}

static bool
parse_value_arg(struct dlang *d)
{
	const size_t len = d->out->len;
	struct dlang ahead = *d;
	const char *type = d->p;

	if (peek(d, 0) == 'Q')
		type = resolve_backref(&ahead);
	if (type == NULL || !parse_type(d))
		return false;
	/* Only the value of a struct shows its type. */
	if (peek(d, 0) != 'S')
		d->out->len = len;
	return parse_value(d, *type);
}

static bool
parse_external_arg(struct dlang *d)
{
	size_t length;

	if (!parse_number(d, &length) || length > (size_t)(d->end - d->p))
		return false;
	buf_add(d->out, d->p, length);
	d->p += length;
	return true;
}

static bool
parse_template_args(struct dlang *d)
{
	bool first = true, ok;

	for (; !accept(d, 'Z'); first = false) {
		if (!first)
			emit(d, ", ");
		accept(d, 'H');
		if (accept(d, 'S'))
			ok = parse_symbol_arg(d);
		else if (accept(d, 'T'))
			ok = parse_type(d);
		else if (accept(d, 'V'))
			ok = parse_value_arg(d);
		else
			ok = accept(d, 'X') && parse_external_arg(d);
		if (!ok)
			return false;
	}
	return true;
}

static bool
parse_template_instance(struct dlang *d)
{
	d->p += strlen("__T");
	if (!is_symbol_name(d) || peek(d, 0) == '0' || !parse_symbol_name(d))
		return false;
	emit(d, "!(");
	if (!parse_template_args(d))
		return false;
	emit(d, ")");
	return true;
}

static bool
parse_symbol_name_body(struct dlang *d)
{
	const char *begin;
	size_t length;

	if (peek(d, 0) == 'Q')
		return parse_lname_backref(d);
	if (is_template(d))
		return parse_template_instance(d);
	if (!parse_number(d, &length) || length == 0)
		return false;
	begin = d->p;
	if (length >= 5 && is_template(d))
		return parse_template_instance(d) &&
		       (size_t)(d->p - begin) == length;
	return parse_lname(d, length);
}

static bool
parse_symbol_name(struct dlang *d)
{
	bool ok;

	if (!enter(d))
		return false;
	ok = parse_symbol_name_body(d);
	d->depth--;
	return ok;
}

static bool
parse_symbol_function_name(struct dlang *d, bool with_modifiers)
{
	const char *p;
	size_t len;

	if (!parse_symbol_name(d))
		return false;
	p = d->p;
	len = d->out->len;
	if ((peek(d, 0) == 'M' || is_call_convention(peek(d, 0))) &&
	    !parse_function_suffix(d, with_modifiers)) {
		d->p = p;
		d->out->len = len;
	}
	return true;
}

static bool
parse_name_parts(struct dlang *d, bool with_modifiers)
{
	bool first = true;

	do {
		if (accept(d, '0')) /* an anonymous part */
			continue;
		if (!first)
			emit(d, ".");
		first = false;
		if (!parse_symbol_function_name(d, with_modifiers))
			return false;
	} while (is_symbol_name(d));
	return !first;
}

/* A name with its scopes. */
static bool
parse_qualified_name(struct dlang *d, bool with_modifiers)
{
	const size_t outer = d->qualified;
	bool ok;

	d->qualified = d->out->len;
	ok = parse_name_parts(d, with_modifiers);
	d->qualified = outer;
	return ok;
}

/* "_D", a name and its type, which is parsed but not printed. */
static bool
parse_mangled_name(struct dlang *d)
{
	size_t len;
	bool ok;

	d->p += strlen("_D");
	if (!parse_qualified_name(d, true))
		return false;
	if (accept(d, 'Z'))
		return true;
	len = d->out->len;
	ok = parse_type(d);
	d->out->len = len;
	return ok;
}

static bool
parse_symbol(struct dlang *d)
{
	return next_is(d, STR("_D")) ?
		   parse_mangled_name(d) :
		   is_symbol_name(d) && parse_qualified_name(d, false);
}

bool
dlang_name(struct buf *out, struct str name, size_t limit)
{
	const size_t before = out->len;
	struct dlang d = { .start = name.p,
			   .p = name.p,
			   .end = name.p + name.len,
			   .last = name.p + name.len,
			   .out = out,
			   .limit = before + limit };

	if (str_eq(name, STR("_Dmain"))) {
		buf_str(out, STR("D main"));
		return true;
	}
	if (next_is(&d, STR("_D")) && parse_mangled_name(&d) && d.p == d.end &&
	    out->len <= d.limit && out->len > before)
		return true;
	out->len = before;
	return false;
}
