/* label.c - text in pictures: frame names, numbers, escapes. */
#include "folded/label.h"

#include "base/utf8.h"
#include "folded/folded.h"

/* U+FFFD */
#define REPLACEMENT "\xef\xbf\xbd"

/* Marks of writing direction, and characters that XML forbids. */
static bool
is_forbidden(uint32_t c)
{
	return c < 0x20 || c == 0x61c || c == 0x200e || c == 0x200f ||
	       (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) ||
	       c == 0xfffe || c == 0xffff;
}

/* Append the first character of s, n bytes long; n = 0: invalid UTF-8. */
static void
add_escaped(struct buf *out, struct str s, size_t n)
{
	switch (*s.p) {
	case '&':
		buf_str(out, STR("&amp;"));
		break;
	case '<':
		buf_str(out, STR("&lt;"));
		break;
	case '>':
		buf_str(out, STR("&gt;"));
		break;
	case '"':
		buf_str(out, STR("&quot;"));
		break;
	case '\'':
		buf_str(out, STR("&#39;"));
		break;
	default:
		if (n == 0 || is_forbidden(utf8_char(s.p, n)))
			buf_str(out, STR(REPLACEMENT));
		else
			buf_add(out, s.p, n);
	}
}

void
label_escape(struct buf *out, struct str s)
{
	size_t n;

	for (; s.len > 0; s = str_skip(s, n > 0 ? n : 1)) {
		n = utf8_length(s.p, s.p + s.len);
		add_escaped(out, s, n);
	}
}

void
label_json(struct buf *out, struct str s)
{
	size_t i;

	buf_char(out, '"');
	for (i = 0; i < s.len; i++) {
		if (s.p[i] == '"' || s.p[i] == '\\')
			buf_char(out, '\\');
		if ((unsigned char)s.p[i] < 0x20)
			buf_printf(out, "\\u%04x", s.p[i]);
		else
			buf_char(out, s.p[i]);
	}
	buf_char(out, '"');
}

/* Whether s begins with an \xNN that folded text has for an invalid byte. */
static bool
is_escaped_byte(struct str s)
{
	int high, low;

	if (s.len < 4 || s.p[0] != '\\' || s.p[1] != 'x')
		return false;
	high = str_hexdigit(s.p[2]);
	low = str_hexdigit(s.p[3]);
	if (high < 0 || low < 0)
		return false;
	return high < 2 || high > 7 || (high == 7 && low == 15);
}

/* Append valid UTF-8 with U+FFFD for escaped bytes and forbidden characters. */
static void
add_shown(struct buf *out, struct str s)
{
	size_t n;

	while (s.len > 0) {
		n = utf8_length(s.p, s.p + s.len);
		if (n == 1 && *s.p == '\\' && is_escaped_byte(s)) {
			buf_str(out, STR(REPLACEMENT));
			n = 4;
		} else if (n == 0 || is_forbidden(utf8_char(s.p, n))) {
			buf_str(out, STR(REPLACEMENT));
			n = n == 0 ? 1 : n;
		} else {
			buf_add(out, s.p, n);
		}
		s = str_skip(s, n);
	}
}

void
label_name(struct buf *out, struct str frame)
{
	char suffix;

	add_shown(out, folded_frame_name(frame, &suffix));
}

/*
 * The cells of a character.  Beyond Latin, Greek and Cyrillic it is two,
 * because fixed-width fonts may lack the character and use a wider font.
 */
static size_t
char_cells(const char *p)
{
	return (unsigned char)*p < 0xd4 ? 1 : 2;
}

size_t
label_width(struct str s)
{
	size_t i, n = 0;

	for (i = 0; i < s.len; i++) {
		if ((s.p[i] & 0xc0) != 0x80)
			n += char_cells(s.p + i);
	}
	return n;
}

/* The longest prefix of s that fits. */
static struct str
head(struct str s, size_t cells)
{
	size_t i, n = 0;

	for (i = 0; i < s.len; i++) {
		if ((s.p[i] & 0xc0) == 0x80)
			continue;
		n += char_cells(s.p + i);
		if (n > cells)
			break;
	}
	return str_range(s.p, s.p + i);
}

/* True if s, of a script's function, goes on with the script's path. */
static bool
is_script(struct str s)
{
	return str_starts(s, STR("/")) || str_starts(s, STR("./")) ||
	       str_starts(s, STR("file:")) || str_starts(s, STR("node:"));
}

/* True if the bracket at i is of "operator<" and the like. */
static bool
is_operator(struct str name, size_t i)
{
	return str_ends(str_range(name.p, name.p + i), STR("operator"));
}

/* True if the parenthesis at i begins the arguments of a function. */
static bool
is_args(struct str name, size_t i)
{
	return i > 0 && strchr(".:*", name.p[i - 1]) == NULL &&
	       !is_operator(name, i) &&
	       !str_starts(str_skip(name, i), STR("(anonymous"));
}

/* The nesting of brackets after a character. */
static size_t
nesting(struct str name, size_t i, size_t depth)
{
	char c = name.p[i];

	if (c == '\0' || is_operator(name, i))
		return depth;
	if (strchr("<([{", c) != NULL)
		return depth + 1;
	return depth > 0 && strchr(">)]}", c) != NULL ? depth - 1 : depth;
}

/* True if the end of a name tells nothing alone: ".so.6", ".py:12", ".isra.3".
 */
static bool
is_extension(struct str s)
{
	static const char *const known[] = {
		"so",   "py",   "js",   "mjs",       "ts",  "rb", "php",
		"c",    "h",    "cc",   "cpp",       "go",  "rs", "pl",
		"isra", "part", "cold", "constprop", "llvm"
	};
	size_t i, n = 0;

	while (n < s.len && s.p[n] != ':' && s.p[n] != '.' && s.p[n] != ' ')
		n++;
	s.len = n;
	for (i = 0; i < sizeof(known) / sizeof(*known); i++) {
		if (str_eq(s, str_of(known[i])))
			return true;
	}
	return n > 0 && s.p[0] >= '0' && s.p[0] <= '9';
}

/* True if a Java identifier can have a character. */
static bool
is_java_char(char c)
{
	return c == '_' || c == '$' || (c >= '0' && c <= '9') ||
	       ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') ||
	       (unsigned char)c >= 0x80;
}

/* True if a word of a Java name can be a type: "void", "java.lang.String[]". */
static bool
is_java_type(struct str word)
{
	static const char *const primitive[] = { "void", "boolean", "byte",
						 "char", "short",   "int",
						 "long", "float",   "double" };
	size_t i, dots = 0;

	while (str_ends(word, STR("[]")))
		word.len -= 2;
	for (i = 0; i < sizeof(primitive) / sizeof(*primitive); i++) {
		if (str_eq(word, str_of(primitive[i])))
			return true;
	}
	for (i = 0; i < word.len; i++) {
		if (word.p[i] == '.')
			dots++;
		else if (!is_java_char(word.p[i]))
			return false;
	}
	return dots > 0;
}

/*
 * Where the method begins in a name that HotSpot's perf map has without
 * arguments, "int java.lang.String.compareTo"; else 0.
 */
static size_t
java_method(struct str name)
{
	struct str rest = name, type = str_cut(&rest, ' '), last;
	size_t i, dots = 0;

	for (i = 0; i < rest.len; i++) {
		if (rest.p[i] == '.')
			dots = i + 1;
		else if (strchr("/<>", rest.p[i]) == NULL &&
			 !is_java_char(rest.p[i]))
			return 0;
	}
	last = str_skip(rest, dots);
	return dots > 1 && last.len > 0 && !is_extension(last) &&
		       rest.p[0] != '/' && is_java_type(type) ?
		   type.len + 1 :
		   0;
}

/*
 * A name without its return type, its arguments and the path of its script:
 * "foo" of "void foo(int)", "foo (bar.py:3)" and "foo /x/bar.js".
 */
static struct str
without_types(struct str name)
{
	size_t i, depth = 0, start = 0;

	for (i = 0; i < name.len; i++) {
		if (depth == 0 && name.p[i] == '(' && i > start &&
		    is_args(name, i))
			break;
		depth = nesting(name, i, depth);
		if (depth > 0 || name.p[i] != ' ' || i + 1 == name.len)
			continue;
		if (is_script(str_skip(name, i + 1)))
			return str_range(name.p, name.p + i);
		if (!is_args(name, i + 1) || name.p[i + 1] != '(')
			start = is_operator(name, i) ? start : i + 1;
	}
	if (i == name.len)
		return str_skip(name, java_method(name));
	while (i > start + 1 && name.p[i - 1] == ' ')
		i--;
	return str_range(name.p + start, name.p + i);
}

/* True if a part of a name that tells something begins at i. */
static bool
is_part(struct str name, size_t i)
{
	struct str rest = str_skip(name, i);

	if (i == 0)
		return true;
	if (rest.len == 0 || strchr("<{($", rest.p[0]) != NULL)
		return false;
	if (name.p[i - 1] == '.')
		return !is_extension(rest);
	if (name.p[i - 1] == '/')
		return true;
	/* "a::b", and "LazyCompile:~b" of V8 */
	return i > 1 && name.p[i - 2] == ':' &&
	       strchr(":~*^+", name.p[i - 1]) != NULL;
}

/* Append as many last parts of a name as fit, with a sign for what is missing.
 */
static void
add_parts(struct buf *out, struct str name, bool before, bool after,
	  size_t cells)
{
	static const struct str dots = { "\xe2\x80\xa6", 3 };
	size_t i, depth = 0, last = 0;

	for (i = 0; i < name.len; i++) {
		if (depth == 0 && is_part(name, i)) {
			last = i;
			if (label_width(str_skip(name, i)) + (before || i > 0) +
				after <=
			    cells)
				break;
		}
		depth = nesting(name, i, depth);
	}
	if (i == name.len) {
		buf_str(out, head(str_skip(name, last), cells - 1));
		buf_str(out, dots);
		return;
	}
	if (before || i > 0)
		buf_str(out, dots);
	buf_str(out, str_skip(name, i));
	if (after)
		buf_str(out, dots);
}

void
label_cut(struct buf *out, struct str name, size_t cells)
{
	struct str core;

	if (cells < 3)
		return;
	if (label_width(name) <= cells) {
		buf_str(out, name);
		return;
	}
	core = without_types(name);
	add_parts(out, core, core.p > name.p,
		  core.p + core.len < name.p + name.len, cells);
}

/* Append digits with commas between thousands. */
static void
add_commas(struct buf *out, struct str digits)
{
	size_t i;

	for (i = 0; i < digits.len; i++) {
		if (i > 0 && (digits.len - i) % 3 == 0)
			buf_char(out, ',');
		buf_char(out, digits.p[i]);
	}
}

void
label_count(struct buf *out, const struct label_number *format, struct count c)
{
	struct buf text = { 0 };
	struct str whole, rest;
	const char *point;

	if (format->factor == 1)
		count_print(&text, c);
	else
		buf_printf(&text, "%.*f", format->decimals,
			   count_double(c) * format->factor);
	rest = buf_slice(&text);
	point = str_find(rest, '.');
	whole = point == NULL ? rest : str_range(rest.p, point);
	add_commas(out, whole);
	buf_str(out, str_skip(rest, whole.len));
	buf_free(&text);
}

void
label_number(struct buf *out, double value, int decimals)
{
	size_t start = out->len;

	buf_printf(out, "%.*f", decimals, value);
	if (decimals == 0)
		return;
	while (out->p[out->len - 1] == '0')
		out->len--;
	if (out->p[out->len - 1] == '.')
		out->len--;
	if (str_eq(str_skip(buf_slice(out), start), STR("-0"))) {
		out->len = start;
		buf_char(out, '0');
	}
}
