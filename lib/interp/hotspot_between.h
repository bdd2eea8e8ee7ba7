/* hotspot_between.h - the callers of HotSpot's code that no frame describes:
 * what runs between two methods, and stubs. */
#ifndef HOTSPOT_BETWEEN_H
#define HOTSPOT_BETWEEN_H

#include "interp/hotspot_step.h"

/*
 * Step out of an adapter, or the start or the end of an interpreted method, in
 * which the thread was stopped.  Such code is not shown.
 */
enum unwind_vm hotspot_between_entry(struct hotspot_walk *k,
				     const struct hotspot_blob *b);

/* Step out of an adapter that has called C++; it is not shown. */
enum unwind_vm hotspot_between_adapter(struct hotspot_walk *k);

/*
 * Step from the place where the last frame of a virtual thread on the stack
 * returns to, to who runs the virtual thread.  Its other frames are in the heap
 * until then.
 */
enum unwind_vm hotspot_between_mounted(struct hotspot_walk *k);

/* Step out of a stub in which the thread was stopped. */
enum unwind_vm hotspot_between_stub(struct hotspot_walk *k);

#endif
