/* unwind.h - registers and a copy of a stack in, return addresses out. */
#ifndef UNWIND_H
#define UNWIND_H

#include "cfi.h"

/*
 * Registers by their DWARF numbers (System V ABI of x86-64, figure 3.36: 0
 * rax, 1 rdx, 2 rcx, 3 rbx, 4 rsi, 5 rdi, 6 rbp, 7 rsp, 8-15, 16 the return
 * address, here rip; of aarch64: 0-30, 31 sp, 32 here pc).
 */
struct unwind_registers {
	uint64_t value[CFI_REGISTERS];
	uint64_t known; /* bit i: value[i] is known */
};

/*
 * The registers of a sample of perf, PERF_SAMPLE_REGS_USER: values has one
 * for each bit of mask, and abi is as in the record.  False if they are not
 * enough to unwind with, as are those of 32-bit processes; what is known of
 * them is there all the same.
 */
bool unwind_perf_registers(struct unwind_registers *r, int machine,
			   uint64_t abi, uint64_t mask, const uint64_t *values,
			   size_t n);

/* What lies around an address of a process, from start to before end. */
struct unwind_map {
	uint64_t start, end;
	uint64_t bias;   /* address - vaddr */
	struct cfi *cfi; /* NULL: frame pointers, as for JIT code */
};

/*
 * A thread at one moment.  The stack is a copy of what lies from
 * stack_start on, usually the stack pointer.
 */
struct unwind_thread {
	struct unwind_registers registers;
	struct str stack;
	uint64_t stack_start;
	/* An unknown frame pointer may be found as in unwindframe.h. */
	bool find_frame;
	/* Where the kernel lets probed functions return to, 0 if to none. */
	uint64_t trampoline;

	/*
	 * A number for the mappings: where it is the same, map() would give
	 * the same answers.
	 */
	uint64_t space;

	/* Executable memory at an address; false if there is none. */
	bool (*map)(void *arg, uint64_t address, struct unwind_map *map);
	/* Copy memory that is not in the stack copy; NULL: there is none. */
	bool (*read)(void *arg, uint64_t address, void *to, size_t n);
	void *arg;
};

struct unwind_frame {
	uint64_t pc;
	/*
	 * The pc itself was, or will be, executed: of the innermost frame
	 * and of one that a signal interrupted.  Else it is a return
	 * address, and the call is one byte before it.
	 */
	bool exact;
	uint64_t sp; /* the stack pointer there */
};

enum unwind_end {
	UNWIND_COMPLETE,  /* there is no caller: the thread begins here */
	UNWIND_TRUNCATED, /* the stack copy ends */
	UNWIND_LOST,      /* no rule, a spoilt one, or registers not known */
	UNWIND_PROBED,    /* the last frame is the trampoline of probes */
	UNWIND_FULL,      /* there is no room for more frames */
	UNWIND_CUT        /* truncated, but what was cut off can be copied */
};

/* The most that perf can be asked to copy of a stack. */
enum { UNWIND_LARGEST_COPY = 65528 };

/* Keeps what it learnt about places in programs. */
struct unwind;

/* For an e_machine; NULL if it is none of EM_X86_64 (62), EM_AARCH64 (183). */
struct unwind *unwind_new(int machine);
void unwind_free(struct unwind *u);

/*
 * Fill frames, which has room for max, innermost first; the first one is the
 * pc in the registers.  Returns how many, at least 1 if max is, and in *end
 * why there are no more.  What was found before an end is right.
 *
 * Spaces, and every cfi given by map(), outlive u.
 */
size_t unwind_stack(struct unwind *u, const struct unwind_thread *thread,
		    struct unwind_frame *frames, size_t max,
		    enum unwind_end *end);

/*
 * Where the code at the pc returns to, if that is in a register, as in leaf
 * functions of aarch64, by their rules, and in entries of a PLT; else false.
 * These two registers are all that has to be known.
 */
bool unwind_link(struct unwind *u, const struct unwind_thread *thread,
		 uint64_t *address);

#endif
