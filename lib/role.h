/* role.h - what the events of a stream are to who sets its samples apart. */
#ifndef ROLE_H
#define ROLE_H

#include "samples.h"

enum role {
	ROLE_UNKNOWN,
	ROLE_ENTRY,  /* a call begins */
	ROLE_RETURN, /* it ends */
	ROLE_SAMPLE, /* what is set apart */
	ROLE_OTHER
};

/* All zero but for the first part at the start; release with roles_free(). */
struct roles {
	const char *entry, *leave; /* events of calls, or NULL */
	const char *sampled;       /* the event that is set apart, or NULL */

	/* Of the samples that are set apart: set by the first of them. */
	struct buf unit;
	struct str event;
	bool is_ns; /* that is the unit */

	/* Below here is role.c's own. */
	struct role_known {
		enum role role;
		uint64_t headers; /* samples.headers when it was found */
	} * known;                /* by event */
	size_t n, cap;
};

/*
 * The role of a sample's event.  Ends the program with status 2 if it is of
 * another unit than those before, or if not every hit of a probe was recorded.
 */
enum role role_of(struct roles *r, const struct samples *s,
		  const struct sample_line *sample);

/* End the program with status 2 if an event that was named is not there. */
void roles_check(const struct roles *r, const struct samples *s);

void roles_free(struct roles *r);

#endif
