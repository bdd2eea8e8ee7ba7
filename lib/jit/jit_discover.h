/* jit_discover.h - finds the symbol files of running and recorded processes. */
#ifndef JIT_DISCOVER_H
#define JIT_DISCOVER_H

#include "jit/jit.h"

struct perfmap;

/*
 * The functions below add what they find to the jit.  A root that is not NULL
 * is a folder with a copy of the recorded machine's files; only files below it
 * are used.
 */

/*
 * Add the process's /tmp/perf-PID.map and, if it still runs, the jitdumps that
 * it has mapped.  Does nothing the second time, and for a process that already
 * has files.
 */
void jit_discover_search(struct jit *j, int64_t pid, const char *root);

/*
 * Add a jitdump that a process mapped; other files are ignored.  JITs map their
 * dump to tell perf where it is.  Without a root the name is opened as the
 * process sees it, if it still runs, and then as this program sees it.
 */
void jit_discover_mapped(struct jit *j, int64_t pid, const char *root,
			 struct str name);

/*
 * The process's perf map, which is not added: for addresses that have no other
 * name.  NULL if there is none; valid as long as the jit.
 */
const struct perfmap *jit_discover_map(struct jit *j, int64_t pid,
				       const char *root);

/*
 * Read files of jit_discover_search() that have grown since, or search again
 * if it found none.  False if nothing is new.
 */
bool jit_discover_refresh(struct jit *j, int64_t pid);

/*
 * Have a running JVM write a map of its code, unless it has a jitdump.  False
 * if the process is no JVM or does not answer.  Repeat this at the end of a
 * recording: the last map gives the names, and a note counts the addresses
 * where an earlier one differs.
 */
bool jit_discover_jvm(struct jit *j, int64_t pid);

/*
 * jit_discover_jvm() in two steps.  The second one returns false until the map
 * is there, or waits for it.
 */
bool jit_discover_jvm_start(struct jit *j, int64_t pid);
bool jit_discover_jvm_finish(struct jit *j, int64_t pid, bool wait);

#endif
