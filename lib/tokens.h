/* tokens.h - frames of a trace to names of folded text. */
#ifndef TOKENS_H
#define TOKENS_H

#include "intern.h"
#include "reader.h"

/* Numbers of names, growing; all zero is empty, freed with free(id). */
struct ids {
	uint32_t *id;
	size_t n, cap;
};

void ids_push(struct ids *ids, uint32_t id);

/* How names are written. */
struct token_options {
	bool kernel, jit, addrs, args;
};

/*
 * A token is the number of a frame's name, or of a sequence of names where
 * one frame of the trace stands for several, "a->b".
 */
struct tokens;

/* The names go into a table, which is the caller's. */
struct tokens *tokens_new(struct intern *names,
			  const struct token_options *options);
void tokens_free(struct tokens *t);

uint32_t tokens_make(struct tokens *t, const struct frame *f, int flavour);

/*
 * Append the names of n tokens, in the order given; the names of one token
 * root first or leaf first.  True if none of the frames has a name.
 */
bool tokens_names(const struct tokens *t, struct ids *out,
		  const uint32_t *token, size_t n, bool root_first);

#endif
