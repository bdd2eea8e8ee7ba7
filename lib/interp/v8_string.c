/* v8_string.c - strings of JavaScript in the heap of a running process. */
#include "interp/v8_string.h"

#include "base/utf8.h"

/* A string may refer to others; names are not deeper. */
enum { MAX_DEPTH = 16, MAX_NAME = 4096, MAX_CHARS = 1 << 29 };

enum {
	SEQUENTIAL,
	CONS,
	EXTERNAL,
	SLICED,
	THIN = 5,
	REPRESENTATION = 7,
	ONE_BYTE = 8,
	UNCACHED = 16 /* an external string without the address of its data */
};

uint16_t
v8_string_type(struct interp_copy *memory, uint64_t object)
{
	const uint16_t none = UINT16_MAX;
	uint64_t map;
	uint16_t type;

	if (!v8_is_object(object))
		return none;
	map = v8_string_word(memory, object, 0);
	return v8_is_object(map) &&
		       interp_copy_read(memory, map - 1 + V8_MAP_TYPE, &type,
					sizeof(type)) ?
		   type :
		   none;
}

uint64_t
v8_string_word(struct interp_copy *memory, uint64_t object, uint64_t offset)
{
	uint64_t word;

	return v8_is_object(object) &&
		       interp_copy_read(memory, object - 1 + offset, &word,
					sizeof(word)) ?
		   word :
		   0;
}

static uint32_t
length_of(struct interp_copy *memory, uint64_t string)
{
	/* The word before has the hash in its lower half. */
	const uint64_t word = v8_string_word(
	    memory, string, V8_STRING_LENGTH - sizeof(uint32_t));

	return (uint32_t)(word >> 32);
}

/* Follow a string to the one with the characters; offset is where they begin.
 */
static uint64_t
resolve(struct interp_copy *memory, uint64_t string, uint64_t *offset,
	uint16_t *type)
{
	uint64_t more;
	int depth;

	for (depth = 0; depth < MAX_DEPTH; depth++) {
		*type = v8_string_type(memory, string);
		if (*type >= V8_NOT_A_STRING)
			return 0;
		switch (*type & REPRESENTATION) {
		case SEQUENTIAL:
		case EXTERNAL:
			return string;
		case CONS:
			more = v8_string_word(memory, string, V8_STRING_MORE);
			if (length_of(memory, more) != 0)
				return 0;
			break;
		case SLICED:
			*offset += (uint32_t)v8_small(
			    v8_string_word(memory, string, V8_STRING_MORE));
			break;
		case THIN:
			break;
		default:
			return 0;
		}
		string = v8_string_word(memory, string, V8_STRING_DATA);
	}
	return 0;
}

bool
v8_string_chars(struct interp_copy *memory, uint64_t string,
		struct v8_chars *chars)
{
	uint64_t offset = 0;
	uint16_t type;

	if (!v8_is_object(string))
		return false;
	chars->n = length_of(memory, string);
	string = resolve(memory, string, &offset, &type);
	if (string == 0 || chars->n > MAX_CHARS || offset > MAX_CHARS)
		return false;
	chars->one_byte = (type & ONE_BYTE) != 0;
	if ((type & REPRESENTATION) == EXTERNAL) {
		if ((type & UNCACHED) != 0)
			return false;
		chars->address = v8_string_word(memory, string, V8_STRING_MORE);
	} else {
		chars->address = string - 1 + V8_STRING_DATA;
	}
	chars->address += chars->one_byte ? offset : 2 * offset;
	return chars->address != 0;
}

/* A half of a pair that stands alone becomes U+FFFD. */
static void
append_utf16(struct buf *out, const uint16_t *c, size_t n)
{
	const uint32_t replacement = 0xfffd;
	size_t i;

	for (i = 0; i < n; i++) {
		if (c[i] >> 11 != 0x1b) {
			utf8_put(out, c[i]);
		} else if (c[i] < 0xdc00 && i + 1 < n &&
			   c[i + 1] >> 10 == 0x37) {
			utf8_put(out, 0x10000 + ((c[i] & 0x3ffU) << 10) +
					  (c[i + 1] & 0x3ffU));
			i++;
		} else {
			utf8_put(out, replacement);
		}
	}
}

static void
append_chars(struct interp_copy *memory, const struct v8_chars *chars,
	     struct buf *out)
{
	uint16_t wide[MAX_NAME];
	unsigned char byte[MAX_NAME];
	const size_t n = chars->n < MAX_NAME ? chars->n : MAX_NAME;
	size_t i;

	if (!chars->one_byte) {
		if (interp_copy_read(memory, chars->address, wide, 2 * n))
			append_utf16(out, wide, n);
		return;
	}
	if (!interp_copy_read(memory, chars->address, byte, n))
		return;
	for (i = 0; i < n; i++)
		utf8_put(out, byte[i]);
}

void
v8_string_append(struct interp_copy *memory, uint64_t string, struct buf *out)
{
	uint64_t later[MAX_DEPTH];
	const size_t end = out->len + MAX_NAME;
	struct v8_chars chars;
	size_t n = 0;
	int parts;

	later[n++] = string;
	for (parts = 0; n > 0 && out->len < end && parts < MAX_NAME; parts++) {
		string = later[--n];
		if (v8_string_chars(memory, string, &chars)) {
			append_chars(memory, &chars, out);
		} else if (n + 2 <= MAX_DEPTH &&
			   (v8_string_type(memory, string) &
			    ~(unsigned)ONE_BYTE) < V8_NOT_A_STRING &&
			   (v8_string_type(memory, string) & REPRESENTATION) ==
			       CONS) {
			later[n++] = v8_string_word(memory, string,
						    V8_STRING_MORE);
			later[n++] = v8_string_word(memory, string,
						    V8_STRING_DATA);
		}
	}
}
