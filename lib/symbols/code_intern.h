/* code_intern.h - code as frames show it, each one once. */
#ifndef CODE_INTERN_H
#define CODE_INTERN_H

#include "base/arena.h"
#include "base/buf.h"

enum code_kind {
	CODE_USER,
	CODE_KERNEL,
	CODE_JIT,
	CODE_INLINE,
	CODE_INTERP, /* a method that a virtual machine interprets */
	CODE_LOWJIT  /* compiled by the first compiler of several */
};

/*
 * Code as a frame shows it: a function, or an inlined call, or a source line of
 * it.  Addresses that look the same in a frame share one.  The fields needed
 * for each frame come first, to be in one cache line.
 */
struct code {
	uint32_t number; /* from 0, without gaps */
	enum code_kind kind;
	const struct code *outer; /* into which it was inlined, or NULL */
	bool executes;   /* kernel code of exec: user memory changes after it */
	bool interrupts; /* kernel code that no caller called: an interrupt */
	struct str module; /* path; empty if unknown */
	struct str name;   /* empty if unknown */
	struct str line;   /* "file:line", or empty if unknown or not wanted */
};

struct intern;

/* Begin with code_intern_init(), release with code_intern_free(). */
struct code_table {
	struct code **code; /* by number */
	size_t cap;
	struct intern *keys;
	struct arena arena;
	struct buf key; /* scratch */
};

void code_intern_init(struct code_table *all);
void code_intern_free(struct code_table *all);

/*
 * The code with the kind, outer, module, name and line of like.  It is valid as
 * long as the table, which copies the strings.
 */
const struct code *code_intern_add(struct code_table *all,
				   const struct code *like);

/* A frame that is no code but describes its stack, for example "state:futex".
 */
const struct code *code_intern_mark(struct code_table *all, struct str name);

#endif
