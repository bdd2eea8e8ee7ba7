/* jvm.h - ask a running JVM where the code is that it made. */
#ifndef JVM_H
#define JVM_H

#include "buf.h"

/*
 * Whether a process is a JVM of HotSpot's kind that can be asked.  Another
 * process must not be: it would die of the signal.
 */
bool jvm_is(int64_t pid);

/*
 * Have a JVM do what "jcmd PID Compiler.perfmap" does, which JDK 17 and later
 * know, and append the perf map to *map.  This is done by a child, as the
 * JVM's user and with the files that the JVM sees; it waits for some seconds
 * at most.  False, with a reason appended to *why, if that cannot be.
 */
bool jvm_map(int64_t pid, struct buf *map, struct buf *why);

#endif
