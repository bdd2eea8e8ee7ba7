/* json.c - JSON of any size: containers are walked, elements given out. */
#include "json.h"

#include "mem.h"

#include <err.h>
#include <errno.h>
#include <json-c/json.h>
#include <math.h>
#include <stdlib.h>

struct json {
	struct input *in;
	const char *begin, *p, *end; /* what the input has at hand */
	const char *bad;
	struct buf text; /* of what may be cut by the end of that */
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

/* Nothing is at hand any more, so that there is one thing less to look at. */
static void
fail(struct json *j, const char *reason)
{
	if (j->bad == NULL)
		j->bad = reason;
	j->end = j->p;
}

/* Take what was read, and get more; false at the end, and where it is bad. */
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

/* The next byte, not taken; 0 at the end of the input, and where it is bad. */
static char
next_byte(struct json *j)
{
	return j->p == j->end && !fill(j) ? 0 : *j->p;
}

/* The same behind white space. */
static inline char
next_visible(struct json *j)
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
	if (next_visible(j) != 0)
		fail(j, "more behind the end of the JSON");
	return j->bad;
}

char
json_peek(struct json *j)
{
	const char c = next_visible(j);

	/* a NUL is no end */
	return c == 0 && j->p < j->end ? '\x7f' : c;
}

bool
json_enter(struct json *j, char bracket)
{
	if (next_visible(j) != bracket)
		return false;
	j->p++;
	return true;
}

/* Whether a member comes and not the closing bracket, which is taken. */
static bool
member_comes(struct json *j, char closing)
{
	char c = next_visible(j);

	if (c == ',') {
		j->p++;
		c = next_visible(j);
	}
	if (c == closing) {
		j->p++;
		return false;
	}
	if (c == 0)
		fail(j, "the text is cut short");
	else if (c == '}' || c == ']' || c == ',' || c == ':')
		fail(j, "not JSON");
	return j->bad == NULL;
}

bool
json_more(struct json *j)
{
	return member_comes(j, ']');
}

/* Where the string that lies at p ends, at its quote or where the bytes do. */
static const char *
string_end(const char *p, const char *end, bool *escaped)
{
	for (; p < end && (*p != '"' || *escaped); p++)
		*escaped = *p == '\\' && !*escaped;
	return p;
}

/* Take a string, into text without its quotes if that is wanted. */
static bool
take_string(struct json *j, struct buf *text)
{
	bool escaped = false;
	const char *end;

	j->p++;
	while (next_byte(j) != 0 || j->p < j->end) {
		end = string_end(j->p, j->end, &escaped);
		if (text != NULL)
			buf_str(text, str_range(j->p, end));
		j->p = end;
		if (j->p < j->end) {
			j->p++;
			return true;
		}
	}
	fail(j, "the text is cut short");
	return false;
}

bool
json_key(struct json *j, struct str *key)
{
	if (!member_comes(j, '}'))
		return false;
	j->text.len = 0;
	if (next_byte(j) != '"') {
		fail(j, "a key is no string");
		return false;
	}
	if (!take_string(j, &j->text))
		return false;
	if (next_visible(j) != ':') {
		fail(j, "no colon behind a key");
		return false;
	}
	j->p++;
	*key = buf_slice(&j->text);
	return true;
}

static bool
is_word(char c)
{
	return str_isdigit(c) || c == '-' || c == '+' || c == '.' ||
	       (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Take a number, or a word as true, into text, NUL behind it. */
static void
take_word(struct json *j)
{
	char c;

	j->text.len = 0;
	while (is_word(c = next_byte(j))) {
		buf_char(&j->text, c);
		j->p++;
	}
	buf_char(&j->text, '\0');
	j->text.len--;
}

/* Nothing is kept of what is open but how much: depth costs nothing. */
void
json_skip(struct json *j)
{
	size_t depth = 0;
	char c;

	do {
		c = next_visible(j);
		if (c == '"') {
			take_string(j, NULL);
		} else if (c == '{' || c == '[') {
			depth++;
			j->p++;
		} else if (depth > 0 && (c == '}' || c == ']')) {
			depth--;
			j->p++;
		} else if (depth > 0 && (c == ',' || c == ':')) {
			j->p++;
		} else if (is_word(c)) {
			take_word(j);
		} else {
			fail(j, c == 0 ? "the text is cut short" : "not JSON");
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

/* Whether a number comes; what is none is skipped. */
static bool
number_comes(struct json *j)
{
	char c = next_visible(j);

	if (str_isdigit(c) || c == '-')
		return true;
	json_skip(j);
	return false;
}

/*
 * A short number that lies at hand whole, as most do, else false: its digits,
 * and how many of them stand behind the point.
 */
static bool
take_digits(struct json *j, int64_t *n, int *places)
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

/* The number that take_word() took. */
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

/* One without decimals is exact. */
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

	if (!number_comes(j))
		return false;
	if (take_digits(j, n, &places)) {
		while (places-- > 0)
			*n /= 10;
		return true;
	}
	take_word(j);
	if (!word_integer(j, &whole))
		return false;
	*n = whole;
	return true;
}

bool
json_real(struct json *j, double *x)
{
	/* What is exact in a double gives the nearest one when divided. */
	static const double power[] = { 1,    1e1,  1e2,  1e3,  1e4,  1e5,
					1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
					1e12, 1e13, 1e14, 1e15, 1e16, 1e17 };
	const char *begin;
	int64_t n;
	int places;

	if (!number_comes(j))
		return false;
	begin = j->p;
	if (take_digits(j, &n, &places)) {
		if (llabs(n) < INT64_C(1) << 53) {
			*x = (double)n / power[places];
			return true;
		}
		j->p = begin;
	}
	take_word(j);
	return word_number(j, x);
}

/*
 * Take what escapes stand for from json-c.  Without memory it goes on with less
 * than there is, but says so in errno, which in a string nothing resets.
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
	if (next_visible(j) != '"') {
		json_skip(j);
		return false;
	}
	j->text.len = 0;
	if (take_string(j, &j->text) &&
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
