/*
 * tracethreads.h - the threads of trace events, and the names of processes.
 *
 * A pid or a tid is a number, perhaps in quotes, or a word of the program's
 * own choice.
 */
#ifndef TRACETHREADS_H
#define TRACETHREADS_H

#include "base/arena.h"
#include "base/intern.h"
#include "codec/json.h"
#include "reader/reader.h"

struct tracethreads_process;

/* Begin with tracethreads_init(), release with tracethreads_free(). */
struct tracethreads {
	struct intern *words;                   /* ids that are words */
	struct intern *threads;                 /* pid and tid, two numbers */
	struct tracethreads_process *processes; /* by pid */
	struct arena arena;                     /* processes and their names */
};

void tracethreads_init(struct tracethreads *t);
void tracethreads_free(struct tracethreads *t);

/*
 * Read an id: a number, or for a word a number below -1.  *id is unchanged if
 * the value is neither.
 */
void tracethreads_id(struct tracethreads *t, struct json *j, int64_t *id);

/* Set the name of a process; it is copied. */
void tracethreads_name(struct tracethreads *t, int64_t pid, struct str name);

/* The number of a thread: 0, 1, 2 ... in order of first appearance. */
uint32_t tracethreads_number(struct tracethreads *t, int64_t pid, int64_t tid);

/* A sample of a thread.  Its comm is valid until tracethreads_free(). */
struct sample tracethreads_sample(const struct tracethreads *t,
				  uint32_t thread);

#endif
