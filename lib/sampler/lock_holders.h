/* lock_holders.h - how often each thread has the lock of an interpreter. */
#ifndef LOCK_HOLDERS_H
#define LOCK_HOLDERS_H

#include "base/str.h"

struct lock_holders;

struct lock_holders *lock_holders_new(void);
void lock_holders_free(struct lock_holders *all);

/* Count a sample of a thread that has the lock. */
void lock_holders_add(struct lock_holders *all, int64_t tid, struct str name);

struct lock_holder {
	int64_t tid; /* 0: no thread had it */
	struct str name;
	double share; /* of the samples of threads that have it, 0 to 1 */
};

/*
 * The thread that has the lock most often; of equal ones, the one with the
 * smallest id.  The name is valid until the next call of any function.
 */
struct lock_holder lock_holders_first(const struct lock_holders *all);

#endif
