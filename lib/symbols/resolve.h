/* resolve.h - finds the code at an address: function, inlined calls, line. */
#ifndef RESOLVE_H
#define RESOLVE_H

#include "base/buf.h"
#include "jit/jit.h"
#include "perfdata/perffeat.h"
#include "symbols/code_intern.h"
#include "symbols/debug_path.h"
#include "symbols/process_image.h"

struct resolve_options {
	struct jit *jit; /* names of JIT code; the caller's */
	struct debug_path_options places;
	const char *kallsyms; /* symbols of the kernel; NULL: this one's */
	bool mangled;         /* do not demangle names */
	bool no_inlines;      /* only the function that was not inlined */
	bool lines;           /* add source lines */
	bool insns;           /* of JIT code, add the instruction as a frame */
	bool exact;           /* look callers up at the return address, as perf
				 does, not at the call before it */
};

enum resolve_mode { RESOLVE_USER, RESOLVE_KERNEL, RESOLVE_OTHER };

struct resolver;

/*
 * Begin.  Processes and features are the caller's and outlive the resolver.
 * NULL, with a message appended to *why, if a file of the options cannot be
 * read or debuginfod cannot be used.
 */
struct resolver *resolve_new(const struct resolve_options *options,
			     struct processes *processes,
			     const struct perf_features *features,
			     struct buf *why);
void resolve_free(struct resolver *r);

/*
 * A resolver for another thread, with that thread's fork of the processes.  The
 * code it finds is the base's.  While there are forks, nothing else uses the
 * base, which outlives them.  NULL if code may differ in time: of a JIT, or
 * files that debuginfod gives.
 */
struct resolver *resolve_fork(struct resolver *base,
			      struct processes *processes);
void resolve_fork_free(struct resolver *fork);

/*
 * Read a table that resolve() will need for an address, in a fork.  There are
 * two for each file, number 0 and 1, so that two threads may read them.
 */
void resolve_read(struct resolver *fork, enum resolve_mode mode,
		  uint64_t address, unsigned table);

/* Which file's tables these are: equal numbers have equal tables. */
uint64_t resolve_file(struct resolver *r, enum resolve_mode mode,
		      uint64_t address);

/* Add what the fork counted for the notes. */
void resolve_join(struct resolver *base, const struct resolver *fork);

/*
 * Nothing before this time will be asked for: forget processes that had ended
 * by then.  Calls ended() for each thread that it forgets.  Not while there are
 * forks.
 */
void resolve_forget(struct resolver *r, uint64_t before,
		    void (*ended)(void *arg, int64_t tid), void *arg);

/*
 * Select the process and the time of the next addresses, which are the frames
 * of one stack from the leaf on.
 */
void resolve_at(struct resolver *r, int64_t pid, uint64_t when);

/* After resolve_at(): the clock of its time, for JIT code. */
void resolve_jit_times(struct resolver *r, enum jit_times times);

/*
 * While this number stays the same, so does the code at each address.  0 if the
 * code may differ in each sample.
 */
uint64_t resolve_moment(const struct resolver *r);

/* The process's memory, to unwind its stacks. */
struct process_image *resolve_image(struct resolver *r);

/* The frame "[missing]", which stands for a caller that is not known. */
const struct code *resolve_missing(struct resolver *r);

/* All code that was found, not of a fork; code_intern_mark() adds to it. */
struct code_table *resolve_codes(struct resolver *r);

/*
 * The code at an address: the innermost inlined function, if there are any.
 * is_return says that the address is where a call returns to, so that the call
 * is before it.  Never NULL; valid as long as the resolver.
 */
const struct code *resolve(struct resolver *r, enum resolve_mode mode,
			   uint64_t address, bool is_return);

/*
 * Prepare for addresses that are among these 64-bit numbers, and are resolved
 * in the next sample but one.
 */
void resolve_prefetch(const struct resolver *r, struct str numbers);

/*
 * Append the next note on missing symbols, and what to do about it.  False if
 * there is no more.
 */
bool resolve_note(struct resolver *r, struct buf *line);

#endif
