/* claims.h - who holds an address at which time; knows no files. */
#ifndef CLAIMS_H
#define CLAIMS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Memory in which a JIT puts code is used again and again.  Each time somebody
 * claims a range of it, whoever held some of these bytes loses just them.
 */
struct claims;

struct claims *claims_new(void);
void claims_free(struct claims *c);

/*
 * From a time on, an owner (any number but CLAIMS_NOBODY) holds what lies from
 * start to before end; or CLAIMS_NOBODY does.  To be told in the order of
 * times.
 */
#define CLAIMS_NOBODY UINT32_MAX
void claims_add(struct claims *c, uint64_t time, uint64_t start, uint64_t end,
		uint32_t owner);

/* From a time on, an owner holds no more of a range what it still holds. */
void claims_release(struct claims *c, uint64_t time, uint64_t start,
		    uint64_t end, uint32_t owner);

/* Change the times of all that was told, to others in the same order. */
void claims_set_times(struct claims *c,
		      uint64_t (*other)(const void *arg, uint64_t time),
		      const void *arg);

/* Before the first question, and again when more was told. */
void claims_sort(struct claims *c);

/* Who holds an address at a time, and since when; false if nobody does. */
bool claims_at(const struct claims *c, uint64_t address, uint64_t time,
	       uint32_t *owner, uint64_t *since);

/* Who is the first to claim an address later than that, and when. */
bool claims_after(const struct claims *c, uint64_t address, uint64_t time,
		  uint32_t *owner, uint64_t *when);

/* How often anything changed, up to a time. */
uint64_t claims_changes(const struct claims *c, uint64_t time);

#endif
