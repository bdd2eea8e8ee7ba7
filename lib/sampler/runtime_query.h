/* runtime_query.h - whether a process runs an interpreter that is known. */
#ifndef RUNTIME_QUERY_H
#define RUNTIME_QUERY_H

#include <stdbool.h>
#include <stdint.h>

enum runtime {
	RUNTIME_NONE,
	RUNTIME_TASKS,       /* only its suspended tasks are shown */
	RUNTIME_INTERPRETER, /* functions are shown between native frames */
	RUNTIME_COMPILER     /* the code it compiles needs no other names */
};

/*
 * The runtime of a process whose functions samples can show.  Reads its memory
 * map and the files of runtimes.  RUNTIME_NONE also if the process has ended,
 * may not be read, or has not loaded the runtime yet.
 */
enum runtime runtime_query(int64_t pid);

#endif
