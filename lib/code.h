/* code.h - code as frames show it, each once. */
#ifndef CODE_H
#define CODE_H

#include "arena.h"
#include "buf.h"

enum code_kind { CODE_USER, CODE_KERNEL, CODE_JIT, CODE_INLINE };

/*
 * Code as a frame shows it: all addresses that show the same are one.  What
 * is asked of each frame of each sample stands first, in a line of cache.
 */
struct code {
	uint32_t number; /* from 0, without gaps */
	enum code_kind kind;
	const struct code *outer; /* into which it was inlined, or NULL */
	bool executes;     /* the kernel's, as it executes another program */
	bool interrupts;   /* the kernel's: what is behind it did not call it */
	struct str module; /* path; empty if unknown */
	struct str name;   /* empty if unknown */
	struct str line;   /* "file:line" if asked for and known, or empty */
};

struct intern;

/* Begin with codes_init(), release with codes_free(). */
struct codes {
	struct code **code; /* by their numbers */
	size_t cap;
	struct intern *keys;
	struct arena arena;
	struct buf key; /* scratch */
};

void codes_init(struct codes *all);
void codes_free(struct codes *all);

/*
 * The code that is like this one but for its number, and for what it does,
 * which its name tells; valid as long as all.
 */
const struct code *codes_add(struct codes *all, const struct code *like);

#endif
