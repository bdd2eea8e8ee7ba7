/* runtime_query.h - whether a process runs an interpreter that is known. */
#ifndef RUNTIME_QUERY_H
#define RUNTIME_QUERY_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Whether samples of a process can show the functions of the interpreter that
 * it runs.  Reads its memory map and the files of runtimes.  False also if the
 * process has ended, may not be read, or has not loaded the runtime yet.
 */
bool runtime_query(int64_t pid);

#endif
