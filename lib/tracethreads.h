/*
 * tracethreads.h - the threads of trace events, and the names of processes.
 *
 * Ids are numbers or words of a program's own; a number may be in quotes.
 */
#ifndef TRACETHREADS_H
#define TRACETHREADS_H

#include "arena.h"
#include "intern.h"
#include "json.h"
#include "reader.h"

/* Begin with tracethreads_init(), release with tracethreads_free(). */
struct tracethreads {
	struct intern *words;   /* ids that are words */
	struct intern *threads; /* pid and tid, two numbers */
	struct intern *comms;   /* pids of processes that have a name */
	struct str *comm;       /* their names */
	size_t comm_cap;
	struct arena names;
};

void tracethreads_init(struct tracethreads *t);
void tracethreads_free(struct tracethreads *t);

/* Read the id that comes: below -1 for a word; as it was if it is neither. */
void tracethreads_id(struct tracethreads *t, struct json *j, int64_t *id);

/* Name a process; the name is copied. */
void tracethreads_name(struct tracethreads *t, int64_t pid, struct str name);

/* The number of a thread: 0, 1, 2 ... in the order of first appearance. */
uint32_t tracethreads_number(struct tracethreads *t, int64_t pid, int64_t tid);

/* A sample of a thread; its name is valid until the threads are released. */
struct sample tracethreads_sample(const struct tracethreads *t,
				  uint32_t thread);

#endif
