/* process_image.h - the memory of a process at one time. */
#ifndef PROCESS_IMAGE_H
#define PROCESS_IMAGE_H

#include "jit/jit.h"
#include "symbols/process.h"

struct dsos;

/*
 * What is mapped at an address, and how to unwind the code there.  Names are
 * resolve.h's job.  The pointers are the caller's and outlive the image.
 */
struct process_image {
	struct processes *processes;
	struct dsos *dsos;
	struct jit *jit;

	/* Set by process_image_set(). */
	int64_t pid; /* -1 if unknown */
	struct view view;
	bool has_jit;      /* there may be names for JIT code, */
	uint64_t jit_when; /* at this time of the jit's clock */
	bool executes;     /* by process_image_exec() */

	/* The last answer of process_image_find(). */
	const struct mapping *mapping;
	uint32_t mapping_view, collections;
};

/* Select the process, and the time on the clock of its records. */
void process_image_set(struct process_image *i, int64_t pid, uint64_t when);

/*
 * The process is in the middle of exec: until the next process_image_set(), an
 * address without a mapping may be of the program that it executes no more.
 */
void process_image_exec(struct process_image *i);

/* The mapping of an address, or NULL. */
const struct mapping *process_image_find(struct process_image *i,
					 uint64_t address);

struct unwind_thread;

/*
 * Set the thread's space, trampoline, map, read and arg, so that an unwinder
 * finds the rules and the code of this image.  Valid until the next
 * process_image_set().
 */
void process_image_unwind(struct process_image *i,
			  struct unwind_thread *thread);

#endif
