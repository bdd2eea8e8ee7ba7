/* jvm_stacks.h - Java frames of a recording, by snapshots of its JVMs. */
#ifndef JVM_STACKS_H
#define JVM_STACKS_H

#include "interp/hotspot_snapshot.h"
#include "symbols/code_intern.h"

struct jvm_stacks;

struct jvm_stacks *jvm_stacks_new(void);
void jvm_stacks_free(struct jvm_stacks *j);

/*
 * Add a file; later ones of the same JVM are added later.  False, with a reason
 * appended to *why, if it cannot be used.
 */
bool jvm_stacks_add(struct jvm_stacks *j, const char *path, struct buf *why);

/*
 * Choose the snapshot of a process, and what it has of a time of
 * CLOCK_MONOTONIC; UINT64_MAX is the end.  False if there is none.
 */
bool jvm_stacks_choose(struct jvm_stacks *j, int64_t pid, uint64_t time);

/*
 * Make a thread's stack be unwound by the snapshot that was chosen.  The
 * thread is the caller's, with all else set; valid until the next call.
 */
void jvm_stacks_begin(struct jvm_stacks *j, struct unwind_thread *thread);

/* Whether an address is in the code cache of the JVM. */
bool jvm_stacks_is_code(const struct jvm_stacks *j, uint64_t address);

/*
 * After the stack is unwound, for its frames from the leaf on: the code of a
 * frame, with what is inlined; NULL if it is not the JVM's.  Lines are added on
 * request.
 */
const struct code *jvm_stacks_code(struct jvm_stacks *j,
				   struct code_table *codes,
				   const struct unwind_frame *f, bool lines,
				   bool inlines);

/* Append the next line on snapshots; false if there are no more. */
bool jvm_stacks_note(struct jvm_stacks *j, struct buf *line);

#endif
