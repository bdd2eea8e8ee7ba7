/* jitopt.h - options of all commands that name JIT code. */
#ifndef JITOPT_H
#define JITOPT_H

#include "jit/jit.h"

/* Values of the options.  Those of a command's own options are smaller. */
enum {
	JIT_OPT_DUMP = 1024,
	JIT_OPT_MAP,
	JIT_OPT_PID,
	JIT_OPT_GRACE,
	JIT_OPT_CLOCK,
	JIT_OPT_TRUST
};

/* For a table of struct cmd_option. */
/* clang-format off */
#define JIT_OPTIONS \
	{ "jitdump", JIT_OPT_DUMP, "FILE", \
	  "name JIT code by this jitdump or directory", false }, \
	{ "perf-map", JIT_OPT_MAP, "FILE", \
	  "name JIT code with this map: /tmp/perf-PID.map", false }, \
	{ "pid-map", JIT_OPT_PID, "INNER:OUTER", \
	  "use the files of process INNER for process OUTER", false }, \
	{ "grace", JIT_OPT_GRACE, "MS", \
	  "name code that ran up to MS before its log entry", false }, \
	{ "clock", JIT_OPT_CLOCK, "UNIT", \
	  "times in jitdumps: ns, none, or SHIFT:MULT:ZERO", \
	  false }, \
	{ "trust-maps", JIT_OPT_TRUST, NULL, \
	  "use maps and jitdumps that other users own", false }
/* clang-format on */

/* All zero at first; release with jitopt_free(). */
struct jitopt {
	struct jit_options options;
	struct jitopt_word {
		int value;
		const char *arg; /* the caller's */
	} * word;
	size_t n, cap;
};

/* Whether a value is one of JIT_OPT_*. */
bool jitopt_is(int value);

/* Set an option; false if its argument is bad.  The argument outlives o. */
bool jitopt_set(struct jitopt *o, int value, const char *arg);

/*
 * Make a jit with all files that the options name; the caller frees it.  A map
 * without a PID in its name is for pid, or for any process if pid is -1.  NULL,
 * with a message appended to *why, if a file cannot be used.
 */
struct jit *jitopt_open(const struct jitopt *o, int64_t pid, struct buf *why);

void jitopt_free(struct jitopt *o);

#endif
