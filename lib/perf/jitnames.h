/* jitnames.h - names of JIT code as text of folded frames, for jitsym(1). */
#ifndef JITNAMES_H
#define JITNAMES_H

#include "jit/jit.h"
#include "reader/tokens.h"

struct jitnames;

/* options say how names are written; jit is the caller's and outlives it. */
struct jitnames *jitnames_new(struct jit *jit,
			      const struct token_options *options);
void jitnames_free(struct jitnames *n);

/* An address to name, and how to write its name. */
struct jitnames_place {
	int64_t pid;
	uint64_t time; /* JIT_LAST for a sum of samples */
	uint64_t address;
	bool is_call; /* a call returns to the next address */
	bool java;    /* the process runs Java */
	bool marked;  /* add _[j] */
	bool shared;  /* result: in a sum, more than one function was there */
};

/* The number of a frame's text, or JITNAMES_NONE. */
#define JITNAMES_NONE ((uint32_t)0x1fffffff)
uint32_t jitnames_find(struct jitnames *n, struct jitnames_place *place);

/* Prefetch what a later jitnames_find() of the place needs. */
void jitnames_prepare(const struct jitnames *n,
		      const struct jitnames_place *place);

/*
 * The text with a number: a frame, or several with ';' between them if
 * functions are inlined.  Valid until jitnames_free().
 */
struct str jitnames_text(const struct jitnames *n, uint32_t number);

#endif
