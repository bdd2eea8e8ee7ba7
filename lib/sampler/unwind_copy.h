/* unwind_copy.h - unwinding a copied stack of a running process. */
#ifndef UNWIND_COPY_H
#define UNWIND_COPY_H

#include "interp/interp.h"
#include "interp/interp_merge.h"
#include "sampler/live_process.h"
#include "symbols/resolve.h"
#include "unwind/unwind.h"

/* What frames were found by.  Private to unwind_copy. */
struct stack_origin {
	struct arch_registers registers;
	uint64_t space;            /* of the mappings */
	size_t size;               /* of the copy */
	struct unwind_reads reads; /* of it */
	size_t n;                  /* frames that were found */
	bool is_reusable;
};

/* All zero is empty; release with unwind_copy_release(). */
struct stack_frames {
	struct unwind_frame *frame; /* leaf first */
	size_t n, cap;
	struct stack_origin origin;
	/* Frames of an interpreter among them; the unwinder leaves them. */
	struct interp_entries vm;
	struct interp_steps steps; /* found by the unwinder itself */
	enum interp_lock lock;     /* the same */
	bool truncated;            /* callers are missing, */
	bool guessed;              /* callers were found without unwind rules */
	bool lost;      /* because registers or unwind rules are missing */
	bool read_live; /* memory outside of the copy was read */
	bool moving;    /* the stack is newer than the state; set by callers */
	bool is_same;   /* the last copy had these frames already */
	/*
	 * A writer's cache, emptied when the frames change.  A thread that
	 * waits in the same place again has the same frames: key is their hash,
	 * and 0 if the writer does not want to keep the text any longer.
	 */
	struct buf text;
	uint64_t text_key;
};

struct stack_copy {
	const struct live_process *process;
	struct interp *interp; /* of the process, or NULL */
	int64_t tid;
	const struct arch *arch;
	struct arch_registers registers;
	uint64_t sp;
	struct str bytes; /* from sp on */
	/*
	 * The thread waits, so memory outside of the copy can be read from it.
	 * The caller checks afterwards that it still waits.
	 */
	bool waiting;
	/* Or, from this address on, because that part stays; 0: nothing. */
	uint64_t lasting;
	bool find_frame; /* as in struct unwind_thread */
	/* Where callers of a JIT's code begin, as in struct interp_stack. */
	struct interp_jit_call jit;
};

struct unwind_copy;

/* The resolver knows the mappings of the processes; it outlives u. */
struct unwind_copy *unwind_copy_new(struct resolver *r);
void unwind_copy_free(struct unwind_copy *u);

/*
 * Open all files that a process has mapped now.  This is slow: call it while no
 * thread is stopped.
 */
void unwind_copy_prepare(struct unwind_copy *u, const struct live_process *p);

/* Replace the frames by those of a copy, with the mappings as they are now. */
void unwind_copy_unwind(struct unwind_copy *u, const struct stack_copy *copy,
			struct stack_frames *f);

/*
 * Empty the writer's cache unless it is for these frames, complete with those
 * of an interpreter.  The space is a number for the mappings.
 */
void unwind_copy_check_text(struct stack_frames *f, uint64_t space);

void unwind_copy_release(struct stack_frames *f);

/* Whether a function begins at an address and has the code of a frame. */
bool unwind_copy_begins(struct unwind_copy *u, const struct live_process *p,
			uint64_t function, const struct unwind_frame *f);

#endif
