/* container.h - processes of other name spaces on this machine. */
#ifndef CONTAINER_H
#define CONTAINER_H

#include <stdint.h>

/*
 * The mount name space of a process that runs, by its inode, or of this one
 * for CONTAINER_SELF; 0 if it is gone, or none of our business.
 */
enum { CONTAINER_SELF = 0 };
uint64_t container_mounts(int64_t pid);

/* A process that runs in a mount name space; 0 if there is none. */
int64_t container_find(uint64_t mounts);

/*
 * The number that a running process has for itself, in the innermost of its
 * pid name spaces; 0 if it is gone.
 */
int64_t container_pid(int64_t pid);

#endif
