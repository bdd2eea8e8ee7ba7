/* synthesis.h - records of processes that run already, from /proc. */
#ifndef SYNTHESIS_H
#define SYNTHESIS_H

#include "record/perf_stream.h"

struct synthesis;

/* Write to a stream, as records of the event with an id. */
struct synthesis *synthesis_new(struct perf_stream *stream, uint64_t id);
void synthesis_free(struct synthesis *s);

/*
 * Write the namespaces of a process, the names of its threads, and its mappings
 * with their build-ids.  Call this after the events were opened: a change in
 * between is then in both, and nothing is missed.  False if the process is gone
 * or may not be read.
 */
bool synthesis_process(struct synthesis *s, int64_t pid);

/*
 * The same for all processes; after each, call drain(), because reading takes
 * long.  False if /proc cannot be read.
 */
bool synthesis_machine(struct synthesis *s, void (*drain)(void *arg),
		       void *arg);

#endif
