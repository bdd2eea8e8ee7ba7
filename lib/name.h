/* name.h - one function has one name, whatever tool saw it; folded(5). */
#ifndef NAME_H
#define NAME_H

#include "buf.h"

/* What is not done by default, or not for every process. */
enum {
	NAME_ARGS = 1, /* keep arguments and what follows them */
	NAME_JAVA = 2  /* drop the 'L' before a path-like name */
};

/*
 * Append the cleaned name of a function: without arguments, return types of
 * Go or addresses behind it, without Rust's hash; ';' becomes ':', quotes go,
 * and bytes are escaped as utf8_escape() does.  The rules are those of
 * folded(5), NAMES.
 */
void name_clean(struct buf *out, struct str raw, int flags);

/*
 * The name in front of the values of its arguments, as debuggers print them:
 * "f(int)" of "f(int) (n=5) at a.c:7"; all of the text if there are none.
 */
struct str name_before_values(struct str text);

/* The name without +0x1f at its end, the digits in either case. */
struct str name_strip_offset(struct str name);

/* A module's path as it is shown: the last part, without " (deleted)". */
struct str name_module(struct str path);

/*
 * Append the frame of code that has no name: "[module]", or with an address
 * "[module <7f12ab>]"; the module is "unknown" if empty.
 */
void name_missing(struct buf *out, struct str module, const uint64_t *addr);

/*
 * Take such a frame, without a suffix, apart; false if it is none.  Whether
 * it has an address is in *has_addr.
 */
bool name_ismissing(struct str frame, struct str *module, bool *has_addr,
		    uint64_t *addr);

#endif
