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

/* The offset of the last part of a path or of a C++ name; 0 if not found. */
static size_t
last_part(struct str s)
{
	size_t i;

	for (i = s.len > 0 ? s.len - 1 : 0; i > 1; i--) {
		if (s.p[i] == '/')
			return i;
		if (s.p[i] == ':' && s.p[i - 1] == ':')
			return i - 1;
		if (s.p[i] == '>' || s.p[i] == ')')
			return 0;
	}
	return 0;
}

void
label_cut(struct buf *out, struct str name, size_t cells)
{
	static const struct str dots = { "\xe2\x80\xa6", 3 };
	size_t cut = last_part(name);
	struct str tail = str_skip(name, cut);
	size_t room = label_width(tail) + 1;

	if (cells < 3)
		return;
	if (label_width(name) <= cells) {
		buf_str(out, name);
	} else if (cut > 0 && room <= cells) {
		buf_str(out, head(str_range(name.p, tail.p), cells - room));
		buf_str(out, dots);
		buf_str(out, tail);
	} else if (cut > 0 && cells > 6) {
		buf_str(out, dots);
		buf_str(out, head(tail, cells - 2));
		buf_str(out, dots);
	} else {
		buf_str(out, head(name, cells - 1));
		buf_str(out, dots);
	}
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
