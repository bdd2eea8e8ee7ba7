/* resolve.h - what code an address is, of which process, at which time. */
#ifndef RESOLVE_H
#define RESOLVE_H

#include "buf.h"
#include "code.h"
#include "jit.h"
#include "perffeat.h"
#include "places.h"
#include "process.h"

struct jit;

struct resolve_options {
	struct jit *jit; /* names of JIT code, the caller's */
	struct places_options places;
	const char *kallsyms; /* symbols of the kernel; NULL: this one's */
	bool mangled;         /* leave names as they are */
	bool no_inlines;      /* only the function that all is inlined into */
	bool lines;           /* source lines */
	bool insns;           /* of JIT code, the instruction as a frame */
	bool exact; /* look callers up at the return address, as perf does */
};

struct resolver;

/*
 * Begin; processes and features are the caller's and outlive it.  A file of
 * the options that cannot be read ends the program with status 2.
 */
struct resolver *resolver_new(const struct resolve_options *options,
			      struct processes *processes,
			      const struct perf_features *features);
void resolver_free(struct resolver *r);

/*
 * Of which process, and when, the next addresses are: those of one stack,
 * from the leaf on.  While its number is the same, and not 0, so is their code.
 */
uint64_t resolver_moment(const struct resolver *r);
void resolver_at(struct resolver *r, int64_t pid, uint64_t when);

/* What clock the time above is of, for code of JITs. */
void resolver_jit_times(struct resolver *r, enum jit_times times);

enum resolve_mode { RESOLVE_USER, RESOLVE_KERNEL, RESOLVE_OTHER };

/*
 * A hint: among these numbers of 64 bits are addresses that will be asked for
 * next but one or so.
 */
void resolver_expect(const struct resolver *r, struct str numbers);

/*
 * The code at an address, the innermost if functions were inlined there;
 * is_return says that it is where a call returns to, so that the call lies
 * before it.  Never NULL; valid as long as the resolver.
 */
const struct code *resolve(struct resolver *r, enum resolve_mode mode,
			   uint64_t address, bool is_return);

/* A frame that is no code but says something of its stack, as "state:futex". */
const struct code *resolver_mark(struct resolver *r, struct str name);

struct unwind_thread;

/*
 * Let an unwinder ask about the process's memory at this moment, until the
 * next one: sets the thread's space, trampoline, map, read and arg.
 */
void resolver_unwind(struct resolver *r, struct unwind_thread *thread);

/*
 * Append what hindered it, and how that is cured: the next line of as many
 * as there are; false at the end.
 */
bool resolver_note(struct resolver *r, struct buf *line);

#endif
