/* chainfull.h - whether a chain is as long as who recorded it lets it be. */
#ifndef CHAINFULL_H
#define CHAINFULL_H

#include "perfattr.h"

/* All zero at first. */
struct chainfull {
	size_t deepest;  /* of chains whose limit is not recorded, */
	size_t branches; /* and of last branches */
};

/* Of n addresses: the kernel took no more, and outer callers are missing. */
bool chainfull_chain(struct chainfull *f, const struct perf_event *ev,
		     size_t n);

/*
 * Of n last branches, of which the CPU keeps so many, 0 if that is not known:
 * the oldest are gone.
 */
bool chainfull_branches(struct chainfull *f, size_t n, uint64_t most);

#endif
