/* jitfiles.h - file names of jitdumps and perf maps. */
#ifndef JITFILES_H
#define JITFILES_H

#include "base/str.h"

/*
 * The PID in a name "jit-PID.dump" or "perf-PID.map", in the process's own name
 * space; -1 if it is another name.  The path may have folders. JavaScriptCore's
 * "jit-TID-PID.dump" and "jit-TID-PID-XXXXXX" are jitdumps, too.
 */
int64_t jitfiles_dump_pid(struct str path);
int64_t jitfiles_map_pid(struct str path);

/*
 * Call found for each jit-PID.dump in a folder and up to four levels below it,
 * sorted by name.  Links are not followed.  shared says that other users can
 * put files there.  False, with errno set, if the folder cannot be read.
 */
bool jitfiles_search(const char *folder,
		     void (*found)(void *arg, const char *path, bool shared),
		     void *arg);

#endif
