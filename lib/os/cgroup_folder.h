/* cgroup_folder.h - find the cgroup of a container, by its path or its id. */
#ifndef CGROUP_FOLDER_H
#define CGROUP_FOLDER_H

#include "base/buf.h"

/*
 * Open the folder of a cgroup for counter_open_cgroup().  The name is its path,
 * below the mounted tree as in /proc/PID/cgroup or with the mount point, or the
 * id of a container, of which the first 4 digits or more suffice.  Returns a
 * descriptor, or -1 with the reason appended to why.
 */
int cgroup_folder_open(const char *name, struct buf *why);

#endif
