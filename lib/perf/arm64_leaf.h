/* arm64_leaf.h - the caller that aarch64 call chains lack after a leaf. */
#ifndef ARM64_LEAF_H
#define ARM64_LEAF_H

#include "perfdata/perfrecord.h"
#include "symbols/resolve.h"

/*
 * A leaf function of aarch64 has no frame record, so a chain of frame pointers
 * lacks its caller.  The return address is in the link register, which perf
 * record samples along with chains since Linux 5.18.  The unwind table of the
 * function says whether it is still there.  perf does the same in
 * util/arm64-frame-pointer-unwind-support.c.
 */
struct arm64_leaf;

/* The resolver and the features are the caller's and outlive it. */
struct arm64_leaf *arm64_leaf_new(struct resolver *resolver,
				  const struct perf_features *features);
void arm64_leaf_free(struct arm64_leaf *l);

/*
 * The record with the caller of the user-mode leaf added to its chain, or the
 * record itself if nothing is to be added.  The copy is valid until the next
 * call.
 */
const struct perf_record *arm64_leaf_add(struct arm64_leaf *l,
					 const struct perf_record *r);

#endif
