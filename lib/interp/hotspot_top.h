/* hotspot_top.h - the callers of compiled code of a HotSpot whose frame is not
 * complete: the thread was stopped in it, or it calls a function of C++. */
#ifndef HOTSPOT_TOP_H
#define HOTSPOT_TOP_H

#include "interp/hotspot_step.h"

/*
 * Step out of code in which the thread was stopped; its frames have a known
 * size, but not at its start and its end.  Returns UNWIND_VM_OTHER if the frame
 * has that size, and UNWIND_VM_HIDDEN if the caller has the same frame.
 */
enum unwind_vm hotspot_top_compiled(struct hotspot_walk *k,
				    const struct hotspot_blob *b);

/*
 * Step out of code that has called other code.  Before it calls C++, it may
 * have pushed registers below its frame.  Returns UNWIND_VM_OTHER as above.
 */
enum unwind_vm hotspot_top_caller(struct hotspot_walk *k,
				  const struct hotspot_blob *b);

#endif
