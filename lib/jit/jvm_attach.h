/* jvm_attach.h - the part of a request to a JVM that acts as its user. */
#ifndef JVM_ATTACH_H
#define JVM_ATTACH_H

#include <stdint.h>

/*
 * Become the user of a JVM, in its root folder and without capabilities, for
 * good; request its map, and copy it to out.  process is a pidfd of the JVM.
 * Call this in a child process, with an alarm set, since the JVM may not
 * answer. NULL, or the reason of a failure: then out may have a part of the
 * map.
 */
const char *jvm_attach_map(int64_t pid, int process, int out);

/* An agent to load: the path of its library, and its options. */
struct jvm_agent {
	const char *library, *options;
};

/*
 * The same, but load an agent.  NULL, or the reason of a failure, which may be
 * what the JVM answers; valid until the next call.
 */
const char *jvm_attach_load(int64_t pid, int process,
			    const struct jvm_agent *agent);

#endif
