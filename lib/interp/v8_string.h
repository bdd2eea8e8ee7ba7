/* v8_string.h - strings of JavaScript in the heap of a running process. */
#ifndef V8_STRING_H
#define V8_STRING_H

#include "interp/v8_layout.h"

/*
 * These read past the copy, by interp_copy_read().  Objects move: so the thread
 * cannot run meanwhile, or the caller checks afterwards that the object is
 * still what it was.
 */

/* The type of an object; 0xffff if it cannot be read. */
uint16_t v8_string_type(struct interp_copy *memory, uint64_t object);

/* A word of an object; 0 if it cannot be read. */
uint64_t v8_string_word(struct interp_copy *memory, uint64_t object,
			uint64_t offset);

/* Where the characters of a string are: of one byte, Latin-1, or UTF-16. */
struct v8_chars {
	uint64_t address, n;
	bool one_byte;
};

/* Find the characters; false for what is no string, or one in parts. */
bool v8_string_chars(struct interp_copy *memory, uint64_t string,
		     struct v8_chars *chars);

/* Append a string in UTF-8, or as much as 4096 characters of it. */
void v8_string_append(struct interp_copy *memory, uint64_t string,
		      struct buf *out);

#endif
