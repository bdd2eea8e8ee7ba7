/* tokens.h - turns frames of a trace into names of folded text. */
#ifndef TOKENS_H
#define TOKENS_H

#include "base/intern.h"
#include "reader/sink.h"

/* A growing array of name ids; all zero is empty, release with free(id). */
struct ids {
	uint32_t *id;
	size_t n, cap;
};

void tokens_push(struct ids *ids, uint32_t id);

/* How names are written: the options --kernel, --jit, --addrs and --args. */
struct token_options {
	bool kernel, jit, addrs, args;
};

/*
 * A token is the id of a frame's name.  A frame "a->b", which stands for a and
 * b inlined into it, has a token for the sequence of both names.
 */
struct tokens;

/* Names are added to the table, which must outlive the tokens. */
struct tokens *tokens_new(struct intern *names,
			  const struct token_options *options);
void tokens_free(struct tokens *t);

/*
 * The token of a frame, valid as long as t.  Ends the program with status 2
 * beyond 2^30 names.
 */
uint32_t tokens_make(struct tokens *t, const struct frame *frame, int flavour);

/*
 * Append the name ids of n tokens, in the order given.  The names of a
 * sequence come root first or leaf first.  Returns true if none of the frames
 * has a name.
 */
bool tokens_names(const struct tokens *t, struct ids *out,
		  const uint32_t *token, size_t n, bool root_first);

#endif
