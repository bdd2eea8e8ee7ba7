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

#endif
