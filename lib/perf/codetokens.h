/* codetokens.h - sink tokens for the code that a resolver found. */
#ifndef CODETOKENS_H
#define CODETOKENS_H

#include "reader/reader.h"
#include "symbols/resolve.h"

/*
 * One sink token for each code of a resolver, so that a name is cleaned once.
 * All zero is empty, but set change and arg; release with codetokens_free().
 */
struct codetokens {
	/* Called for each new frame, to change it; or NULL. */
	void (*change)(void *arg, struct frame *frame);
	void *arg;

	/* Private to codetokens.c. */
	uint32_t *token[SINK_FLAVOURS]; /* by code number */
	size_t n, cap[SINK_FLAVOURS];
};

/* Make a token for codetokens_of(), which calls it if there is none. */
#define CODETOKENS_NONE UINT32_MAX
uint32_t codetokens_make(struct codetokens *c, struct sink *out,
			 const struct code *code, uint64_t address,
			 int flavour);

/* The token of code at an address, for samples of a flavour. */
static inline uint32_t
codetokens_of(struct codetokens *c, struct sink *out, const struct code *code,
	      uint64_t address, int flavour)
{
	if (code->number < c->n &&
	    c->token[flavour][code->number] != CODETOKENS_NONE)
		return c->token[flavour][code->number];
	return codetokens_make(c, out, code, address, flavour);
}

void codetokens_free(struct codetokens *c);

#endif
