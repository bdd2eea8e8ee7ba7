/* jit_store.h - the symbol files of JIT compilers, by process. */
#ifndef JIT_STORE_H
#define JIT_STORE_H

#include "jit/jitcode.h"

/*
 * Jitdumps and perf maps of all processes of a profile.  jit_new() makes a
 * store, jit_files() returns it.
 *
 * A process in a PID name space has two numbers: its files carry the inner one,
 * the profile the outer one.
 */
struct jit_store;

/* Translate PIDs: the profile's process host is inside in its own files. */
void jit_store_translate(struct jit_store *s, int64_t inside, int64_t host);

/*
 * Add a jitdump, or all jitdumps in a folder.  False, with a reason appended to
 * *why, if there is none or it cannot be read.
 */
bool jit_store_add_dump(struct jit_store *s, const char *path, struct buf *why);

/*
 * Add a perf map.  It belongs to the process in its name "perf-PID.map", else
 * to pid, or to any process if pid is -1.  False, with a reason appended to
 * *why, if it cannot be read.
 */
bool jit_store_add_map(struct jit_store *s, const char *path, int64_t pid,
		       struct buf *why);

/*
 * How to convert the timestamps of jitdumps that count ticks, unless the
 * options gave a clock.
 */
void jit_store_set_ticks(struct jit_store *s, const struct jit_clock *ticks);

/* The only process that has files, or -1 if none or several have. */
int64_t jit_store_only(const struct jit_store *s);

#endif
