/* hotspot_waits.h - what a Java thread waits for. */
#ifndef HOTSPOT_WAITS_H
#define HOTSPOT_WAITS_H

#include "interp/hotspot_methods.h"
#include "interp/hotspot_threads.h"

struct hotspot_lock_class;

enum { HOTSPOT_WAITS_OWNERS = 64 };

/* The thread that was found to own a monitor. */
struct hotspot_owner {
	uint64_t monitor, owner; /* as the monitor has it */
	uint64_t thread;
};

/* All zero is empty; release with hotspot_waits_free(). */
struct hotspot_waits {
	struct hotspot_lock_class *known; /* of objects that were waited for */
	/* By monitor; to find an owner, all threads are looked at. */
	struct hotspot_owner owner[HOTSPOT_WAITS_OWNERS];
	struct interp_list list; /* scratch */
};

void hotspot_waits_free(struct hotspot_waits *all);

/* A request: the HotSpot and the thread to look at. */
struct hotspot_wait_query {
	const struct hotspot_layout *l;
	const struct hotspot_objects *objects; /* NULL: unknown */
	struct interp_copy *memory;
	uint64_t thread;   /* JavaThread* */
	struct str method; /* its innermost one: "java/lang/Thread.sleep" */
};

/*
 * Find out what a thread waits for.  It may run meanwhile: check afterwards
 * that it has not.
 */
void hotspot_waits_find(struct hotspot_waits *all,
			const struct hotspot_wait_query *q,
			struct interp_wait *wait);

#endif
