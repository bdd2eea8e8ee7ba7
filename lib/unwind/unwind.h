/* unwind.h - the call stack of a thread, from registers and stack memory. */
#ifndef UNWIND_H
#define UNWIND_H

#include "arch/arch.h"
#include "unwind/cfi.h"
#include "unwind/unwind_reads.h"

/* A mapping of a process around an address, from start to before end. */
struct unwind_map {
	uint64_t start, end;
	uint64_t bias;   /* address in the process - address in the file */
	struct cfi *cfi; /* NULL: no unwind tables, as for JIT code */
	/*
	 * If not 0, the code has no rules but runs in the frame of other code:
	 * by the rules at this address, whose bias and cfi are above.
	 */
	uint64_t like;
	/*
	 * Stacks end with a frame of this code: the unwinder's caller knows
	 * where its callers begin.
	 */
	bool ends;
};

struct unwind_vm_frame;

/* How a step from a frame of a virtual machine ended. */
enum unwind_vm {
	UNWIND_VM_OTHER,  /* its pc is in other code */
	UNWIND_VM_CALLER, /* the registers are the caller's now */
	UNWIND_VM_HIDDEN, /* the same, and this frame is not to be shown */
	UNWIND_VM_LOST,
	UNWIND_VM_MISSING /* the stack copy lacks something */
};

/* A thread at one moment. */
struct unwind_thread {
	const struct arch *arch; /* of the code that it runs */
	struct arch_registers registers;
	/* A copy of its stack from an address on, mostly the stack pointer. */
	struct str stack;
	uint64_t stack_start;
	struct unwind_reads *reads; /* gets what of it is read; or NULL */
	/*
	 * Search for an unknown frame pointer: the start of its function says
	 * how much of the stack it uses.
	 */
	bool find_frame;
	/* Address that probed functions return to; 0 if none are. */
	uint64_t trampoline;

	/*
	 * A number for the mappings.  While it is the same, map() gives the
	 * same answers.
	 */
	uint64_t space;

	/* Executable memory at an address; false if there is none. */
	bool (*map)(void *arg, uint64_t address, struct unwind_map *map);
	/* Copy memory that the stack copy lacks; NULL: there is none. */
	bool (*read)(void *arg, uint64_t address, void *to, size_t n);
	/*
	 * Step from a frame whose code a virtual machine has made, which knows
	 * its frames better than any rules; NULL: there is none.
	 */
	enum unwind_vm (*step_vm)(void *arg, struct unwind_vm_frame *f);
	void *arg;
};

struct unwind_frame {
	uint64_t pc;
	/*
	 * The frame was at this pc: it is the innermost one, or a signal
	 * interrupted it.  Otherwise the pc is a return address, and the call
	 * ends one byte before.
	 */
	bool exact;
	bool knows_fp;
	/* Its caller was found without unwind tables, by its instructions. */
	bool guessed;
	uint64_t sp; /* the stack pointer in this frame */
	uint64_t fp; /* the frame pointer, if knows_fp */
};

/* A frame that step_vm() steps from. */
struct unwind_vm_frame {
	const struct unwind_thread *thread;
	struct unwind_frame *frame; /* step_vm() may correct its pc */
	struct arch_registers *registers;
	uint64_t missing; /* address that could not be read */
};

/* Why a stack has no more frames. */
enum unwind_end {
	UNWIND_COMPLETE,  /* the thread begins here */
	UNWIND_TRUNCATED, /* the stack copy ends */
	UNWIND_LOST,      /* no rule, a bad rule, or an unknown register */
	UNWIND_PROBED,    /* the last frame is the trampoline of probes */
	UNWIND_FULL,      /* there is no room for more frames */
	UNWIND_CUT        /* truncated, but a larger copy would have helped */
};

/* The largest stack copy that perf can make, in bytes. */
enum { UNWIND_LARGEST_COPY = 65528 };

/* An unwinder; it caches how to step from an address to its caller. */
struct unwind;

struct unwind *unwind_new(void);
void unwind_free(struct unwind *u);

/*
 * Unwind a stack into frames, innermost first, of which there is room for max.
 * The first frame is the pc in the registers.  Returns the number of frames, at
 * least 1 if max is, and in *end why there are no more.  Frames before the end
 * are right.
 *
 * Every cfi that map() returns must outlive u.
 */
size_t unwind_stack(struct unwind *u, const struct unwind_thread *thread,
		    struct unwind_frame *frames, size_t max,
		    enum unwind_end *end);

/* Copy memory of the thread, from its stack copy if that has it. */
bool unwind_read(const struct unwind_thread *thread, uint64_t address, void *to,
		 size_t n);

/* The bounds of the function at an address; false if no table has it. */
bool unwind_function(const struct unwind_thread *thread, uint64_t address,
		     uint64_t *start, uint64_t *end);

/*
 * Find the return address of the function at the pc if it is still in the link
 * register: in leaf functions, by their unwind tables, and in PLT entries.
 * False if it is not, or the machine has no such register.  Needs only these
 * two registers.
 */
bool unwind_link(const struct unwind_thread *thread, uint64_t *address);

#endif
