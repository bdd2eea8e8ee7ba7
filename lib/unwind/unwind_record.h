/* unwind_record.h - whose frame record the frame pointer points to. */
#ifndef UNWIND_RECORD_H
#define UNWIND_RECORD_H

#include "unwind/unwind.h"

/* Whose frame record the frame pointer points to, where a function runs. */
enum unwind_record {
	UNWIND_RECORD_UNKNOWN, /* no unwind table, or not what the code does */
	UNWIND_RECORD_OWN,     /* the function's, so its caller follows */
	UNWIND_RECORD_CALLERS, /* its caller's, which a chain lacks */
	UNWIND_RECORD_NONE,    /* nobody's: the register holds anything */
	UNWIND_RECORD_ROOT     /* the function has no caller */
};

/*
 * Whose record the frame pointer points to at a pc, by the unwind table.  Of
 * the thread, needs only the machine and the callbacks.
 */
enum unwind_record unwind_record(struct unwind *u,
				 const struct unwind_thread *thread,
				 uint64_t pc, bool exact);

#endif
