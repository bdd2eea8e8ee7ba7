/* name.h - clean names: one name for a function in all tools; folded(5). */
#ifndef NAME_H
#define NAME_H

#include "base/buf.h"

/* Flags of name_clean(). */
enum {
	NAME_ARGS = 1, /* keep arguments and what follows them */
	NAME_JAVA = 2  /* remove the 'L' before a name with slashes */
};

/*
 * Append the clean name of a function, by the rules of folded(5), FRAME NAMES:
 * no arguments, no return type after them, no hash of Rust, no quotes, ':' for
 * ';', and bytes escaped with utf8_escape().
 */
void name_clean(struct buf *out, struct str raw, int flags);

/*
 * The name before the argument values that a debugger prints: "f(int)" for
 * "f(int) (n=5) at a.c:7".  All of the text if it has no values.
 */
struct str name_before_values(struct str text);

/* The name without "+0x1f" at its end; digits in either case. */
struct str name_strip_offset(struct str name);

/* The last part of a module's path, without " (deleted)". */
struct str name_module(struct str path);

/*
 * Append the frame of code without a name: "[module]", or "[module <7f12ab>]"
 * if addr is not NULL.  The module is "unknown" if empty.
 */
void name_missing(struct buf *out, struct str module, const uint64_t *addr);

/*
 * Parse a frame, without suffix, that name_missing() wrote.  False if it is a
 * name.  *addr is set only if *has_addr.
 */
bool name_ismissing(struct str frame, struct str *module, bool *has_addr,
		    uint64_t *addr);

/*
 * Append the name of a process, thread or host as a frame: '_' for blanks, as
 * in FlameGraph's collapsers, and ':' for ';'.
 */
void name_word(struct buf *out, struct str word);

#endif
