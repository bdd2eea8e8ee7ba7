/* stackof.h - the frames of a thread whose stack was copied. */
#ifndef STACKOF_H
#define STACKOF_H

#include "resolve.h"
#include "target.h"
#include "unwind.h"

/* All zero is empty; release with stackof_release(). */
struct stack_frames {
	struct unwind_frame *frame; /* leaf first */
	size_t n, cap;
	bool truncated; /* callers are missing, */
	bool lost;      /* for want of registers or of rules */
	bool moving;    /* for the caller */
	bool used_live; /* more was read than the copy */
	/* What somebody made of them; emptied as they change. */
	struct buf note;
};

struct stack_copy {
	const struct target *target;
	int64_t tid;
	struct unwind_registers registers;
	uint64_t sp;
	struct str bytes; /* from sp on */
	/*
	 * The thread seems to stand still, so what is not in the copy can be
	 * read; the caller sees to it that it did.
	 */
	bool live;
	bool find_frame; /* as of struct unwind_thread */
};

struct stackof;

/* The resolver knows the processes' memory, and outlives it. */
struct stackof *stackof_new(struct resolver *r);
void stackof_free(struct stackof *s);

/* Open what a process has mapped now, which takes long, before it is needed. */
void stackof_prepare(struct stackof *s, const struct target *target);

/* Fill in the frames, of the memory as it is now; moving is cleared. */
void stackof_unwind(struct stackof *s, const struct stack_copy *copy,
		    struct stack_frames *frames);

void stackof_release(struct stack_frames *frames);

#endif
