/* jitfiles.h - where the symbol files of JITs are, and whose they are. */
#ifndef JITFILES_H
#define JITFILES_H

#include "str.h"

/*
 * The process in a name "jit-PID.dump" or "perf-PID.map", in its own name
 * space; -1 if the name says none.
 */
int64_t jitfiles_dump_pid(struct str path);
int64_t jitfiles_map_pid(struct str path);

/*
 * Call found for each jit-PID.dump in a folder and a few levels below it, in
 * the order of their names; links are not followed.  shared says that others
 * can put files there.  False, with errno set, if it cannot be read.
 */
bool jitfiles_search(const char *folder,
		     void (*found)(void *arg, const char *path, bool shared),
		     void *arg);

#endif
