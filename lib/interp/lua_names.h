/* lua_names.h - how functions of Lua are named, in all its versions. */
#ifndef LUA_NAMES_H
#define LUA_NAMES_H

#include "interp/interp_copy.h"

/*
 * Read the name of a chunk, at the address of its text: "@" and a file, "=" and
 * another name, or its source, of which the first line is taken.  The result is
 * in *text, without the mark.
 */
struct str lua_names_file(struct interp_copy *copy, uint64_t address,
			  struct buf *text);

/* Append the name of the function that begins in a line; 0 is its file. */
void lua_names_function(struct str file, uint32_t line, struct buf *name);

#endif
