/* jit_refresh.h - names of JIT code in running processes, kept up to date. */
#ifndef JIT_REFRESH_H
#define JIT_REFRESH_H

#include "jit/jit.h"
#include "symbols/process.h"

/*
 * A running process compiles more and more code.  When samples have code
 * without a name, its jitdump or perf map is read again, and a JVM is asked
 * again.
 */
struct jit_refresh;

/* The processes are the caller's and outlive j; jvm.h says how to ask JVMs. */
struct jit_refresh *jit_refresh_new(const struct jit_options *options,
				    struct processes *processes, bool ask_jvms);
void jit_refresh_free(struct jit_refresh *j);

/* All names, for a resolver; valid as long as j. */
struct jit *jit_refresh_jit(const struct jit_refresh *j);

/* Add a process; ask it at once for names if it is a JVM, and ask is true. */
void jit_refresh_add(struct jit_refresh *j, int64_t pid, bool ask);

enum jit_refresh_result {
	JIT_REFRESH_OTHER, /* the address is in no code of a JIT */
	JIT_REFRESH_UNNAMED,
	JIT_REFRESH_NAMED
};

/*
 * Find the code at an address at a time.  If it has no name, but may be code of
 * a JIT, remember the place for jit_refresh_update().
 */
enum jit_refresh_result jit_refresh_find(struct jit_refresh *j, int64_t pid,
					 uint64_t time, uint64_t address,
					 struct jit_symbol *found);

/*
 * Look for new names, at growing intervals for processes that have none.  The
 * last time, ignore the intervals and wait for answers of JVMs.
 */
void jit_refresh_update(struct jit_refresh *j, bool last);

/* A place whose code had no name when it was sampled. */
struct jit_refresh_place {
	int64_t pid;
	uint64_t time, address;
};

/*
 * After an update: the next place that has got a name, and its code.  False if
 * there are no more.
 */
bool jit_refresh_next_named(struct jit_refresh *j,
			    struct jit_refresh_place *place,
			    struct jit_symbol *found);

#endif
