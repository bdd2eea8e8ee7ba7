/* capture-internal.h - the queue of captured threads. */
#ifndef CAPTURE_INTERNAL_H
#define CAPTURE_INTERNAL_H

#include "sampler/capture.h"
#include "sampler/looks.h"

enum stack_source {
	SOURCE_CACHE, /* the frames in the thread's cache */
	SOURCE_STOP,  /* a copy that has to be unwound, into the cache */
	SOURCE_LATE,  /* the same, but the cache has newer frames */
	SOURCE_SAME,  /* the frames of the element before this one */
	SOURCE_NONE
};

struct queued {
	struct live_threads *process;
	struct live_thread *thread;
	struct thread_state state;
	uint64_t time;
	enum stack_source source;
	struct stopped_thread stopped;
};

struct capture {
	struct capture_options options;
	struct unwind_copy *unwind;

	struct looks late; /* at threads that have not stopped yet */
	/* Threads of a process that capture_stop_requested() interrupts. */
	struct ptrace_stop_request *request;
	size_t nrequest, request_cap;
	struct queued *queue; /* all cap elements are initialized */
	size_t nqueue, queue_cap;
	size_t next;                 /* for capture_next() */
	struct stack_frames *frames; /* of the element before */

	/* Used again and again: */
	struct stopped_thread stopped;
	struct buf copy;
	struct interp_stack vm; /* of copy */
	struct interp_copy memory;
	struct stack_frames no_frames, late_frames;
	struct buf refusals;

	struct capture_counts counts;
};

#endif
