/* perflink.h - callers that aarch64's chains of frame pointers lack. */
#ifndef PERFLINK_H
#define PERFLINK_H

#include "perfrecord.h"
#include "resolve.h"

/*
 * A leaf function of aarch64 has no frame record, so a chain lacks its caller.
 * That is in the link register, which perf record samples with chains since
 * Linux 5.18, and the rules of the function's unwind table tell whether it
 * still is, as in perf's util/arm64-frame-pointer-unwind-support.c.
 */
struct perflink;

/* The resolver and the features outlive it. */
struct perflink *perflink_new(struct resolver *r,
			      const struct perf_features *features);
void perflink_free(struct perflink *l);

/*
 * The record itself, or one whose chain has an address more: the caller of
 * where user mode was left.  That one is valid until the next call.
 */
const struct perf_record *perflink_add(struct perflink *l,
				       const struct perf_record *r);

#endif
