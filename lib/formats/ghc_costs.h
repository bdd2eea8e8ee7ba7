/*
 * ghc_costs.h - the current stack of cost centres in a profile of GHC; for
 * ghc_json.c and ghc_report.c.
 */
#ifndef GHC_COSTS_H
#define GHC_COSTS_H

#include "reader/reader.h"

/* The caller fills in the first part; release with ghc_costs_free(). */
struct ghc_costs {
	struct input *in;
	struct sink *out;
	bool alloc, lines; /* the options --alloc and --srcline */

	uint64_t interval; /* us a tick, 0 if unknown */
	uint32_t *stack;
	size_t depth, stack_cap;
	struct buf name; /* scratch */
};

void ghc_costs_free(struct ghc_costs *p);

/* The token of a cost centre: "Module.name", as Haskell writes it. */
uint32_t ghc_costs_token(struct ghc_costs *p, struct str name,
			 struct str module, struct str source);

/* Set the leaf of the stack, at a level counted from 0 at the root. */
void ghc_costs_put(struct ghc_costs *p, size_t level, uint32_t token);

/* Push the own cost of the stack, without its calls. */
void ghc_costs_push(struct ghc_costs *p, struct count count);

#endif
