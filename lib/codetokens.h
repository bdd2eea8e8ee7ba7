/* codetokens.h - frames of code that a resolver found, for a sink. */
#ifndef CODETOKENS_H
#define CODETOKENS_H

#include "reader.h"
#include "resolve.h"

/*
 * Tokens of a sink, one for each code of a resolver, so that a name is
 * cleaned once.  All zero at first, but for how; release with
 * codetokens_free().
 */
struct codetokens {
	/* What is to be done to each frame before; NULL if nothing. */
	void (*change)(void *arg, struct frame *frame);
	void *arg;

	/* Below here is codetokens.c's own. */
	uint32_t *token[SINK_FLAVOURS]; /* by the number of the code */
	size_t n, cap[SINK_FLAVOURS];
};

/* Make it, where there is none yet. */
#define CODETOKENS_NONE UINT32_MAX
uint32_t codetokens_make(struct codetokens *t, struct sink *out,
			 const struct code *code, uint64_t address,
			 int flavour);

/* The token of code at an address, in samples of this flavour. */
static inline uint32_t
codetokens_of(struct codetokens *t, struct sink *out, const struct code *code,
	      uint64_t address, int flavour)
{
	if (code->number < t->n &&
	    t->token[flavour][code->number] != CODETOKENS_NONE)
		return t->token[flavour][code->number];
	return codetokens_make(t, out, code, address, flavour);
}

void codetokens_free(struct codetokens *t);

#endif
