/* waitname.h - what a thread does while no sample says it. */
#ifndef WAITNAME_H
#define WAITNAME_H

#include "span.h"

/*
 * The bits of the kernel's state of a task that say that it does not run; none
 * of them if it was preempted (include/linux/sched.h; the others say so).
 */
enum { WAITNAME_STATES = 0xff };

/*
 * One word: "runqueue", "running", "unknown"; of a wait the system call, as
 * the kernel's frames name it, or what the state says, or "waiting".
 */
struct str waitname(const struct span *span);

#endif
