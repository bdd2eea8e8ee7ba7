/* interp_stack.h - the frames that a virtual machine has of a thread. */
#ifndef INTERP_STACK_H
#define INTERP_STACK_H

#include "interp/interp_binary.h"
#include "interp/interp_copy.h"

enum { INTERP_STACK_DEPTH = 4096 };

/* The function of a frame that the runtime has for itself: it is not shown. */
#define INTERP_STACK_HIDDEN UINT32_MAX

/* Walking fills in code and ip, naming fills in function and line. */
struct interp_vm_frame {
	uint64_t code;           /* an address that stands for its function */
	int64_t ip;              /* where it is, in the runtime's own way */
	uint64_t context;        /* what else its name takes; 0 if nothing */
	uint32_t function, line; /* line is 0 if unknown */
	uint64_t native;         /* start of its code; 0: it has none */
};

/* Frames that one invocation of the virtual machine's loop executes. */
struct interp_segment {
	uint64_t where; /* in the C frame of the invocation; 0 if unknown */
	size_t end;     /* index after its last frame */
	size_t level;   /* of its coroutine; 0: the outermost */
};

/*
 * Whether a thread holds or waits for the runtime's global lock, such as
 * Python's GIL.  Walking sets it; NONE if the runtime has no such lock.
 */
enum interp_lock {
	INTERP_LOCK_NONE,
	INTERP_LOCK_HELD,  /* by this thread */
	INTERP_LOCK_WAITS, /* this thread waits for it */
	INTERP_LOCKS
};

/*
 * JIT code on the stack whose use of the C stack is unknown.  The outer frames
 * begin with this pc and stack pointer, in the interpreter's frame that runs
 * the code.  All zero if there is no such code.
 */
struct interp_jit_call {
	uint64_t pc, sp;
	/* Return address of a call out of the code: inner frames end there. */
	uint64_t returns_to;
};

/* All zero is empty; release with interp_stack_free(). */
struct interp_stack {
	struct interp_vm_frame *frame; /* leaf first */
	size_t n, cap;
	struct interp_segment *segment; /* leaf first; the last end is n */
	size_t segments, segments_cap;
	/*
	 * Segments on the C stack that the thread runs on; those after them are
	 * on other stacks, which it switched from, as with fibers.
	 */
	size_t segments_here;
	/*
	 * How many coroutines have resumed each other, and the function that
	 * resumes them, which has a native frame outside of each one's loops.
	 * When one was suspended and is resumed, loops that its outer segments
	 * began in are gone.  0: the runtime has no such coroutines.
	 */
	size_t levels;
	struct interp_range resume;
	/*
	 * The innermost segment may be linked before its loop begins, and until
	 * after it ends.
	 */
	bool may_be_early;
	enum interp_lock lock;
	/*
	 * From this address on, the C stack has callers that stay as they are
	 * while the thread lives, such as those that have made the virtual
	 * machine's stack within the C stack; 0: none are known.
	 */
	uint64_t lasting;
	struct interp_jit_call jit;
	bool complete; /* no frames are missing, as far as we know */
};

void interp_stack_clear(struct interp_stack *s);
void interp_stack_free(struct interp_stack *s);

/* Add a frame; false if there are too many. */
bool interp_stack_add(struct interp_stack *s, uint64_t code, int64_t ip);

/* End a segment with the last frame. */
void interp_stack_end_segment(struct interp_stack *s, uint64_t where);

/* Whether segments have places in the C stack. */
bool interp_stack_has_places(const struct interp_stack *s);

/* The frames that follow are on another C stack. */
void interp_stack_switch(struct interp_stack *s);

#endif
