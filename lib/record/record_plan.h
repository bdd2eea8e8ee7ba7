/* record_plan.h - which events to open, as far as the kernel permits them. */
#ifndef RECORD_PLAN_H
#define RECORD_PLAN_H

#include "record/counters.h"

struct record_plan_options {
	uint64_t hz;        /* samples a second, or 0 */
	uint64_t period;    /* else events a sample */
	uint32_t stack;     /* bytes of the stack to copy, a multiple of 8 */
	bool grow;          /* copy more where these bytes do not suffice */
	bool whole_machine; /* all tasks of each CPU */
	bool on_exec;       /* begin when the task executes a command */
	bool wall;          /* record waits, too: when threads switch */
	bool stat;          /* count only, without samples */
};

struct record_plan {
	struct counters_plan counters;
	uint64_t sample_type;         /* of all events */
	uint64_t regs;                /* mask of registers */
	uint32_t stack;               /* usual bytes of a copy */
	bool no_cycles;               /* we chose a clock instead */
	bool no_kernel;               /* the kernel part is not permitted */
	uint64_t lowered_hz;          /* the kernel permits no more; or 0 */
	bool no_wait_stacks;          /* waits have times only */
	struct event_requests *names; /* the events, also if we chose */
	size_t attrs;                 /* allocated */
};

/*
 * Plan to record the requested events or, without any, the best that works:
 * the request is then added.  Free with record_plan_free().  False, with the
 * reason appended to why, if an event does not work here.
 */
bool record_plan_make(struct record_plan *plan, struct event_requests *events,
		      const struct record_plan_options *options,
		      struct buf *why);

void record_plan_free(struct record_plan *plan);

/* The attr of an event as the file has it, see sample_layout_write(). */
struct counter_attr record_plan_file_attr(const struct record_plan *plan,
					  size_t event);

#endif
