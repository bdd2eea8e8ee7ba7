/* jvm.h - ask a running JVM where the code is that it made. */
#ifndef JVM_H
#define JVM_H

#include "buf.h"

/*
 * Whether a process is a JVM of HotSpot's kind that can be asked.  Another
 * process must not be: it would die of the signal.
 */
bool jvm_is(int64_t pid);

/* The same, or whether it may come to be one, which does not listen yet. */
bool jvm_begins(int64_t pid);

/*
 * Have a JVM do what "jcmd PID Compiler.perfmap" does, which JDK 17 and later
 * know, and append the perf map to *map.  This is done by a child, as the
 * JVM's user and with the files that the JVM sees; it waits for some seconds
 * at most.  False, with a reason appended to *why, if that cannot be.
 */
bool jvm_map(int64_t pid, struct buf *map, struct buf *why);

/* The same in steps, with other work between them. */
struct jvm_question;

/* Begin; NULL, with a reason, if it cannot be asked. */
struct jvm_question *jvm_ask(int64_t pid, struct buf *why);

/* Whether it has been answered, so that the next step will not wait. */
bool jvm_is_answered(struct jvm_question *q);

/* The answer, for which the question is given away. */
bool jvm_answer(struct jvm_question *q, struct buf *map, struct buf *why);

#endif
