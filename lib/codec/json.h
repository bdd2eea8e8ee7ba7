/*
 * json.h - streaming parser for JSON of any size.
 *
 * Call json_enter() for an object or array.  Then call json_key() in an object,
 * or json_more() in an array, before each value.  Read the value with one call,
 * enter it, or skip it.  Only one value is in memory at a time.
 *
 * If the text is malformed or cut off, json_bad() returns the reason, and
 * json_key() and json_more() return false, so that loops end.
 */
#ifndef JSON_H
#define JSON_H

#include "io/input.h"

struct json;

/* The byte order mark of UTF-8, with which some programs begin. */
#define JSON_MARK STR("\xef\xbb\xbf")

/* Start at the current place of the input; skips a byte order mark. */
struct json *json_new(struct input *in);
void json_free(struct json *j);

/* Why the text is malformed, or NULL. */
const char *json_bad(const struct json *j);

/* Like json_bad(), after the last value: anything that follows is an error. */
const char *json_end(struct json *j);

/* The first byte of the next value: { [ " - digit t f n; 0 at the end. */
char json_peek(struct json *j);

/* Enter the next value if it begins with the bracket, '{' or '['. */
bool json_enter(struct json *j, char bracket);

/* Like json_enter(), but skips any other value. */
bool json_expect(struct json *j, char bracket);

/*
 * In an object: the next key, without quotes, with its escapes, valid until the
 * next call.  False if there is none; then the object is left.
 */
bool json_key(struct json *j, struct str *key);

/* In an array: whether there is another value.  If not, the array is left. */
bool json_more(struct json *j);

/* Skip the next value, of any depth. */
void json_skip(struct json *j);

/*
 * Read the next value if it is a number; else skip it and return false.
 * json_integer() drops decimals.
 */
bool json_integer(struct json *j, int64_t *n);
bool json_real(struct json *j, double *x);

/*
 * Read the next value if it is a string; else skip it and return false.  The
 * string is valid until the next call.
 */
bool json_string(struct json *j, struct str *s);

/* Like json_string(), but copies the string to text; empty if it is none. */
void json_text(struct json *j, struct buf *text);

#endif
