/* container.h - processes in containers on this machine. */
#ifndef CONTAINER_H
#define CONTAINER_H

#include "base/buf.h"

/* Cache of container_root(); all zero is empty.  Inodes identify namespaces. */
struct container {
	uint64_t own_ns;    /* our mount namespace */
	uint64_t cached_ns; /* the last other mount namespace, */
	int64_t cached_pid; /* and a process in it, 0 if there is none */
};

/*
 * Find a running process that sees the files which process pid saw when it was
 * recorded: the process itself, or another one in the same mount namespace.
 * The namespace is recorded_ns, or the current one of the process if that is 0.
 * Returns 0 if there is no such process.  Sets *foreign if the namespace is not
 * ours.
 */
int64_t container_root(struct container *c, int64_t pid, uint64_t recorded_ns,
		       bool *foreign);

/*
 * The pid of a running process in the innermost of its pid namespaces; 0 if the
 * process is gone.
 */
int64_t container_pid(int64_t pid);

/*
 * Append the path of a file that a process maps, in /proc/PID/map_files, where
 * only root may open it.  The file is named as in /proc/PID/maps, including
 * " (deleted)".  False if the process does not map the file, or is gone.
 */
bool container_mapping(struct buf *path, int64_t pid, struct str file);

#endif
