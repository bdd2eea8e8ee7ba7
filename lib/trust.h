/* trust.h - files that say what code is called, in places open to anyone. */
#ifndef TRUST_H
#define TRUST_H

#include <stdint.h>

/*
 * A symbol file of a JIT lies in a directory where anyone may put one, and
 * decides what a profile says.
 */
enum trust {
	TRUST_ANYONE, /* it was named by the user, or lies below --symfs */
	TRUST_OWNER   /* it belongs to owner, to us or to root; is no link, and
			 has no holes if it is large */
};

/*
 * Open a regular file for reading.  -1, with a reason in *why, and errno 0
 * where it is ours, if it is not there, not regular, or not to be trusted.
 */
int trust_open(const char *path, enum trust trust, uint32_t owner,
	       const char **why);

/*
 * Whom to believe about a process: for root, and who else may look at those of
 * others, the user whose process it is, if it still runs; else ourselves.
 */
uint32_t trust_owner(int64_t pid);

#endif
