/* jvm.h - has a running JVM write a map of its compiled code. */
#ifndef JVM_H
#define JVM_H

#include "base/buf.h"

/*
 * Whether a process is a HotSpot JVM that accepts requests.  The signal that
 * announces a request would kill another process.
 */
bool jvm_is(int64_t pid);

/* jvm_is(), or a process that has just started and may become a JVM. */
bool jvm_may_be(int64_t pid);

/*
 * Request "jcmd PID Compiler.perfmap", which JDK 17 and later have, and append
 * the perf map to *map.  A child process with the JVM's user and files makes
 * the request, which takes a few seconds at most.  False, with a reason
 * appended to *why, if that fails.  The map contains what the JVM wrote, up to
 * a limit, and is not checked.
 */
bool jvm_map(int64_t pid, struct buf *map, struct buf *why);

/*
 * Start a process that makes the requests of jvm_map_start() from now on.  Then
 * the caller can give up the rights that they need.  False with errno.
 */
bool jvm_broker_start(void);

/* jvm_map() in steps, for callers that have other work to do meanwhile. */
struct jvm_request;

/* Start; NULL, with a reason appended to *why, if that fails. */
struct jvm_request *jvm_map_start(int64_t pid, struct buf *why);

/* Whether jvm_map_finish() need not wait. */
bool jvm_map_ready(struct jvm_request *r);

/* Wait for the map, and free the request.  Results are those of jvm_map(). */
bool jvm_map_finish(struct jvm_request *r, struct buf *map, struct buf *why);

/*
 * Have a JVM load an agent, in the same way.  The library's path is that in the
 * JVM's root folder.  A reason may be text of the JVM.
 */
struct jvm_request *jvm_load_start(int64_t pid, const char *library,
				   const char *options, struct buf *why);
bool jvm_load_finish(struct jvm_request *r, struct buf *why);

#endif
