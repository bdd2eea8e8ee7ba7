/* interp_language.h - what interp.c and interp_runtime.c need to know of a
 * runtime; a new language is a file that fills this in. */
#ifndef INTERP_LANGUAGE_H
#define INTERP_LANGUAGE_H

#include "interp/interp.h"

/* A thread of a runtime: its id for the kernel, and the runtime's own. */
struct interp_listed {
	int64_t tid;
	int64_t inner_tid; /* in its own pid namespace, as its process has it */
	/*
	 * The kernel's id in its block.  It is not inner_tid if a program has
	 * called fork() and not told the runtime, as uWSGI.
	 */
	int64_t block_tid;
	uint64_t block, id;
	uint64_t lock; /* address of the lock it executes under, or 0 */
};

/* All zero is empty. */
struct interp_list {
	struct interp_listed *thread;
	size_t n, cap;
};

enum { INTERP_LIST_MAX = 65536 };

/* Add a thread; false if there are too many. */
bool interp_list_add(struct interp_list *l, int64_t inner_tid, uint64_t block,
		     uint64_t id);

/*
 * A runtime lists its threads with list(); or it finds the block of one thread
 * with root(), by its thread-local storage or its stack; one of the two is
 * NULL.  thread_name() may be NULL, too.  Where walk() is NULL, threads have
 * native frames only.
 */
struct interp_language {
	/* Whether a mapped file may have the runtime, by its path. */
	bool (*may_be)(struct str path);
	/*
	 * The runtime in the file that mapping number map begins; NULL if there
	 * is none, or if its frames cannot be shown: then a reason is appended
	 * to *why.
	 */
	void *(*open)(const struct interp_target *target, size_t map,
		      const struct interp_reader *reader, struct buf *why);
	void (*close)(void *runtime);
	/*
	 * The map of the process was read again: look for libraries that it may
	 * have loaded since.  Called after open(), too; may be NULL.
	 */
	void (*look)(void *runtime, const struct interp_target *target,
		     const struct interp_reader *reader);
	const struct interp_ranges *(*loops)(const void *runtime);
	/*
	 * Code that a JIT made, if it runs in the loop's frame; NULL if there
	 * is none.  This function may be NULL.
	 */
	const struct interp_jit *(*jit)(const void *runtime);
	/* List the threads; the process runs meanwhile. */
	void (*list)(void *runtime, struct interp_copy *memory,
		     struct interp_list *l);
	/*
	 * Set block and id of one thread, whose tid is set; the memory's moment
	 * has what is known of it.  Leave block 0 if it has none.  Called when
	 * the thread is not stopped, and again while it is, if walk() fails.
	 */
	void (*root)(void *runtime, struct interp_copy *memory,
		     struct interp_listed *thread);
	/*
	 * Walk the frames of a thread with this block; copy->moment has its
	 * registers, as far as they are known.  False if that is no longer the
	 * block of the thread.
	 *
	 * The thread is stopped, or about to run: read little, and what was in
	 * the last sample by interp_copy_get(), which then costs no call.
	 */
	bool (*walk)(const void *runtime, struct interp_copy *copy,
		     const struct interp_listed *thread,
		     struct interp_stack *s);
	/*
	 * Step from a native frame of the thread to its caller, while its
	 * copied stack is unwound, and add a segment with the functions of the
	 * frame; its place is the frame's stack pointer.  For runtimes that
	 * compile code with frames of its own: walk() finds no frames then.
	 * May be NULL.  The process runs meanwhile.
	 */
	enum unwind_vm (*step)(void *runtime, struct interp_copy *memory,
			       struct interp_stack *s,
			       struct unwind_vm_frame *f);
	/* Set the functions and lines of frames; the process runs meanwhile. */
	void (*find_names)(void *runtime, const struct interp_reader *reader,
			   struct interp_functions *functions,
			   struct interp_stack *s);
	/*
	 * The block of the thread that has the lock which this one executes
	 * under; 0 if none has it, or if that is unknown.  The process runs
	 * meanwhile.  May be NULL.
	 */
	uint64_t (*lock_owner)(const void *runtime, struct interp_copy *memory,
			       const struct interp_listed *thread);
	/* As interp_find_wait(); may be NULL. */
	void (*find_wait)(void *runtime, struct interp_copy *memory,
			  const struct interp_listed *thread,
			  const struct interp_stack *s,
			  struct interp_wait *wait);
	/*
	 * Append the name that the runtime has for a thread; nothing if it has
	 * none.  The process runs meanwhile.
	 */
	void (*thread_name)(void *runtime, struct interp_copy *memory,
			    const struct interp_listed *thread,
			    struct buf *name);
	/* As interp_has_virtual() and the next one; both may be NULL. */
	bool (*has_virtual)(const void *runtime);
	bool (*lacks_virtual)(const void *runtime);
	/* As interp_report_tasks(); may be NULL. */
	size_t (*report_tasks)(void *runtime,
			       const struct interp_reader *reader,
			       struct interp_functions *functions, uint64_t now,
			       const struct interp_task_receiver *receiver);
};

#endif
