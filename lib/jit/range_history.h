/* range_history.h - which owner an address range has at each time. */
#ifndef RANGE_HISTORY_H
#define RANGE_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

/*
 * A JIT reuses the memory of its code.  When an owner gets a range, the owners
 * before it lose these bytes, and only these.
 */
struct range_history;

struct range_history *range_history_new(void);
void range_history_free(struct range_history *h);

/*
 * From time on, a range from start to before end has this owner, or no owner if
 * it is RANGE_HISTORY_NOBODY.  Changes are added in the order of their times.
 */
#define RANGE_HISTORY_NOBODY UINT32_MAX
void range_history_add(struct range_history *h, uint64_t time, uint64_t start,
		       uint64_t end, uint32_t owner);

/* From time on, an owner loses what it still has of a range. */
void range_history_release(struct range_history *h, uint64_t time,
			   uint64_t start, uint64_t end, uint32_t owner);

/* Convert the times of all changes; convert() must keep their order. */
void range_history_set_times(struct range_history *h,
			     uint64_t (*convert)(const void *arg,
						 uint64_t time),
			     const void *arg);

/* Call this after changes and before the functions below. */
void range_history_sort(struct range_history *h);

/* The owner of an address at a time, and since when; false if there is none. */
bool range_history_at(const struct range_history *h, uint64_t address,
		      uint64_t time, uint32_t *owner, uint64_t *since);

/* The first owner that gets an address after a time, and when; or false. */
bool range_history_after(const struct range_history *h, uint64_t address,
			 uint64_t time, uint32_t *owner, uint64_t *when);

/* The number of changes up to a time. */
uint64_t range_history_changes(const struct range_history *h, uint64_t time);

#endif
