/* jitnames.h - JIT code as frames of folded text; for jitsym(1). */
#ifndef JITNAMES_H
#define JITNAMES_H

#include "jit.h"
#include "tokens.h"

struct jitnames;

/* A jit, which is to outlive it, and how its names are written. */
struct jitnames *jitnames_new(struct jit *jit,
			      const struct token_options *options);
void jitnames_free(struct jitnames *n);

/* Whose name is asked for, and how it is to look. */
struct jitnames_place {
	int64_t pid;
	uint64_t time; /* JIT_LAST in a sum of samples */
	uint64_t address;
	bool java;   /* the program is */
	bool marked; /* with _[j] */
	bool shared; /* set: in a sum, several functions had the address */
};

/* The number of a frame's text, or NO_NAME. */
#define NO_NAME ((uint32_t)0x1fffffff)
uint32_t jitnames_find(struct jitnames *n, struct jitnames_place *place);

/* Say that a place will be asked for soon. */
void jitnames_prepare(const struct jitnames *n,
		      const struct jitnames_place *place);

/*
 * A frame by its number, or several with ';' between them, as of code that was
 * inlined; valid until jitnames_free().
 */
struct str jitnames_text(const struct jitnames *n, uint32_t number);

#endif
