/*
 * json.h - JSON of any size: containers are walked, elements given out.
 *
 * A reader walks down to what it wants: json_enter(), then json_key() in an
 * object or json_more() in an array, once before each value; each value is
 * then read by one call, entered, or skipped.  Only one is in memory.
 *
 * Where the text is malformed or cut off, json_bad() says so, and
 * json_key() and json_more() return false, so that loops end.
 */
#ifndef JSON_H
#define JSON_H

#include "input.h"

struct json;

/* What some programs put before it to say that it is UTF-8. */
#define JSON_MARK STR("\xef\xbb\xbf")

/* Begin at what the input has, behind such a mark. */
struct json *json_new(struct input *in);
void json_free(struct json *j);

/* What is wrong with the text, or NULL. */
const char *json_bad(const struct json *j);

/* The same behind the value that is all of it: nothing may follow. */
const char *json_end(struct json *j);

/* The first byte of the value that comes: { [ " digit t f n; 0 at the end. */
char json_peek(struct json *j);

/* Step into the container that comes, if it begins with '{' or '['. */
bool json_enter(struct json *j, char bracket);

/* The same, but what comes instead is skipped. */
bool json_expect(struct json *j, char bracket);

/*
 * In an object: the next key, without its quotes, escapes as they are, valid
 * until the next call.  False, and behind the object, if there is none.
 */
bool json_key(struct json *j, struct str *key);

/* In an array: whether a value comes.  False, and behind it, if none does. */
bool json_more(struct json *j);

/* Step over the value that comes, however deep it is. */
void json_skip(struct json *j);

/* Read the number that comes, or skip what is none: false. */
bool json_integer(struct json *j, int64_t *n);
bool json_real(struct json *j, double *x);

/*
 * Read the string that comes, or skip what is none: false.  Valid until the
 * next call.
 */
bool json_string(struct json *j, struct str *s);

/* The same, into text, which is empty then if it is none. */
void json_text(struct json *j, struct buf *text);

#endif
