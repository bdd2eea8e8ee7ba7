/* json.c - streaming parser for JSON of any size. */
#include "codec/json.h"

#include "base/mem.h"

#include <err.h>
#include <errno.h>
#include <json-c/json.h>
#include <math.h>
#include <stdlib.h>

struct json {
	struct input *in;
	const char *begin, *p, *end; /* window of the input */
	const char *bad;
	struct buf text; /* current key or value, which may span windows */
	struct json_tokener *tokener;
};

struct json *
json_new(struct input *in)
{
	struct json *j = mem_zero(1, sizeof(*j));

	j->in = in;
	if (str_starts(input_bytes(in, JSON_MARK.len), JSON_MARK))
		input_take(in, JSON_MARK.len);
	j->tokener = json_tokener_new();
	if (j->tokener == NULL)
		mem_alloc(SIZE_MAX); /* ends the program */
	return j;
}

void
json_free(struct json *j)
{
	json_tokener_free(j->tokener);
	buf_free(&j->text);
	free(j);
}

const char *
json_bad(const struct json *j)
{
	return j->bad;
}

/* Empty the window, so that callers need no separate check. */
static void
fail(struct json *j, const char *reason)
{
	if (j->bad == NULL)
		j->bad = reason;
	j->end = j->p;
}

/* Read the next window; false at the end, or after an error. */
static bool
fill(struct json *j)
{
	struct str bytes;

	if (j->bad != NULL)
		return false;
	input_take(j->in, (size_t)(j->p - j->begin));
	bytes = input_bytes(j->in, 1);
	j->begin = j->p = bytes.p;
	j->end = bytes.p + bytes.len;
	return bytes.len > 0;
}

/* The next byte, not consumed; 0 at the end, or after an error. */
static char
next_byte(struct json *j)
{
	return j->p == j->end && !fill(j) ? 0 : *j->p;
}

/* Like next_byte(), after white space. */
static inline char
next_token(struct json *j)
{
	char c;

	if (j->p < j->end && (unsigned char)*j->p > ' ')
		return *j->p;
	while ((c = next_byte(j)) == ' ' || c == '\n' || c == '\r' || c == '\t')
		j->p++;
	return c;
}

const char *
json_end(struct json *j)
{
	if (next_token(j) != 0)
		fail(j, "text after the end of the JSON");
	return j->bad;
}

char
json_peek(struct json *j)
{
	const char c = next_token(j);

	/* A NUL byte is not the end. */
	return c == 0 && j->p < j->end ? '\x7f' : c;
}

bool
json_enter(struct json *j, char bracket)
{
	if (next_token(j) != bracket)
		return false;
	j->p++;
	return true;
}

/* Whether there is another member; consumes the closing bracket. */
static bool
has_member(struct json *j, char closing)
{
	char c = next_token(j);

	if (c == ',') {
		j->p++;
		c = next_token(j);
	}
	if (c == closing) {
		j->p++;
		return false;
	}
	if (c == 0)
		fail(j, "the JSON is truncated");
	else if (c == '}' || c == ']' || c == ',' || c == ':')
		fail(j, "not JSON");
	return j->bad == NULL;
}

bool
json_more(struct json *j)
{
	return has_member(j, ']');
}

/* The closing quote of the string at p, or the end of the window. */
static const char *
find_quote(const char *p, const char *end, bool *escaped)
{
	for (; p < end && (*p != '"' || *escaped); p++)
		*escaped = *p == '\\' && !*escaped;
	return p;
}

/* Read a string, and append it to text without quotes if that is not NULL. */
static bool
read_string(struct json *j, struct buf *text)
{
	bool escaped = false;
	const char *end;

	j->p++;
	while (next_byte(j) != 0 || j->p < j->end) {
		end = find_quote(j->p, j->end, &escaped);
		if (text != NULL)
			buf_str(text, str_range(j->p, end));
		j->p = end;
		if (j->p < j->end) {
			j->p++;
			return true;
		}
	}
	fail(j, "the JSON is truncated");
	return false;
}

bool
json_key(struct json *j, struct str *key)
{
	if (!has_member(j, '}'))
		return false;
	j->text.len = 0;
	if (next_byte(j) != '"') {
		fail(j, "a key is not a string");
		return false;
	}
	if (!read_string(j, &j->text))
		return false;
	if (next_token(j) != ':') {
		fail(j, "no colon after a key");
		return false;
	}
	j->p++;
	*key = buf_slice(&j->text);
	return true;
}

static bool
is_word_char(char c)
{
	return str_isdigit(c) || c == '-' || c == '+' || c == '.' ||
	       (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Read a number or a word such as true into text, and add a NUL. */
static void
read_word(struct json *j)
{
	char c;

	j->text.len = 0;
	while (is_word_char(c = next_byte(j))) {
		buf_char(&j->text, c);
		j->p++;
	}
	buf_char(&j->text, '\0');
	j->text.len--;
}

/* Counts brackets instead of recursion, so depth is unlimited. */
void
json_skip(struct json *j)
{
	size_t depth = 0;
	char c;

	do {
		c = next_token(j);
		if (c == '"') {
			read_string(j, NULL);
		} else if (c == '{' || c == '[') {
			depth++;
			j->p++;
		} else if (depth > 0 && (c == '}' || c == ']')) {
			depth--;
			j->p++;
		} else if (depth > 0 && (c == ',' || c == ':')) {
			j->p++;
		} else if (is_word_char(c)) {
			read_word(j);
		} else {
			fail(j, c == 0 ? "the JSON is truncated" : "not JSON");
		}
	} while (depth > 0 && j->bad == NULL);
}

bool
json_expect(struct json *j, char bracket)
{
	if (json_enter(j, bracket))
		return true;
	json_skip(j);
	return false;
}

/* Whether the next value is a number; skips any other value. */
static bool
has_number(struct json *j)
{
	char c = next_token(j);

	if (str_isdigit(c) || c == '-')
		return true;
	json_skip(j);
	return false;
}

/*
 * Fast path for a short number that is whole in the window, else false.  Sets
 * *n to the digits and *places to the number of decimals.
 */
static bool
read_short_number(struct json *j, int64_t *n, int *places)
{
	const char *p = j->p, *point;
	const char *end = j->end - p > 18 ? p + 18 : j->end;
	int64_t sum = 0;
	bool minus = *p == '-';

	for (p += minus; p < end && str_isdigit(*p); p++)
		sum = 10 * sum + (*p - '0');
	point = p;
	if (p < end && *p == '.') {
		for (p++; p < end && str_isdigit(*p); p++)
			sum = 10 * sum + (*p - '0');
	}
	if (p == j->end || !str_isdigit(p[-1]) ||
	    (*p != ',' && *p != ']' && *p != '}'))
		return false;
	*n = minus ? -sum : sum;
	*places = p == point ? 0 : (int)(p - point - 1);
	j->p = p;
	return true;
}

/* The number that read_word() took. */
static bool
word_number(struct json *j, double *x)
{
	char *end;

	*x = strtod(j->text.p, &end);
	if (*end != '\0') {
		fail(j, "not a number");
		return false;
	}
	return isfinite(*x);
}

/* Exact if there are no decimals. */
static bool
word_integer(struct json *j, int64_t *n)
{
	double x;
	char *end;

	errno = 0;
	*n = strtoll(j->text.p, &end, 10);
	if (*end == '\0' && errno == 0)
		return true;
	if (!word_number(j, &x) || !(fabs(x) < 9e18))
		return false;
	*n = (int64_t)x;
	return true;
}

bool
json_integer(struct json *j, int64_t *n)
{
	int64_t whole;
	int places;

	if (!has_number(j))
		return false;
	if (read_short_number(j, n, &places)) {
		while (places-- > 0)
			*n /= 10;
		return true;
	}
	read_word(j);
	if (!word_integer(j, &whole))
		return false;
	*n = whole;
	return true;
}

bool
json_real(struct json *j, double *x)
{
	/* Both operands are exact, so the quotient is correctly rounded. */
	static const double power[] = { 1,    1e1,  1e2,  1e3,  1e4,  1e5,
					1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
					1e12, 1e13, 1e14, 1e15, 1e16, 1e17 };
	const char *begin;
	int64_t n;
	int places;

	if (!has_number(j))
		return false;
	begin = j->p;
	if (read_short_number(j, &n, &places)) {
		if (llabs(n) < INT64_C(1) << 53) {
			*x = (double)n / power[places];
			return true;
		}
		j->p = begin;
	}
	read_word(j);
	return word_number(j, x);
}

/*
 * Decode escapes with json-c.  When memory runs out, json-c returns a shorter
 * string, but errno is ENOMEM, and nothing resets errno within a string.
 */
static void
decode(struct json *j)
{
	struct json_object *o;
	struct buf quoted = { 0 };

	buf_char(&quoted, '"');
	buf_str(&quoted, buf_slice(&j->text));
	buf_add(&quoted, "\"", 2);
	json_tokener_reset(j->tokener);
	errno = 0;
	o = quoted.len > INT32_MAX ?
		NULL :
		json_tokener_parse_ex(j->tokener, quoted.p, (int)quoted.len);
	if (errno == ENOMEM)
		err(2, NULL);
	if (o == NULL) {
		fail(j, "not JSON");
	} else {
		j->text.len = 0;
		buf_add(&j->text, json_object_get_string(o),
			(size_t)json_object_get_string_len(o));
	}
	json_object_put(o);
	buf_free(&quoted);
}

bool
json_string(struct json *j, struct str *s)
{
	if (next_token(j) != '"') {
		json_skip(j);
		return false;
	}
	j->text.len = 0;
	if (read_string(j, &j->text) &&
	    str_find(buf_slice(&j->text), '\\') != NULL)
		decode(j);
	*s = buf_slice(&j->text);
	return j->bad == NULL;
}

void
json_text(struct json *j, struct buf *text)
{
	struct str s;

	text->len = 0;
	if (json_string(j, &s))
		buf_str(text, s);
}
