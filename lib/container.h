/* container.h - processes of other name spaces on this machine. */
#ifndef CONTAINER_H
#define CONTAINER_H

#include "buf.h"

/* What was found out so far; all zero is nothing. */
struct container {
	uint64_t ours;  /* our mount name space, by its inode */
	uint64_t asked; /* another one, */
	int64_t who;    /* and who runs there, 0 if nobody does */
};

/*
 * A process that runs, and sees the files that a process saw when it was
 * recorded: itself, or another one of the same mount name space, recorded if
 * that is not 0.  0 if there is none.  *foreign tells that these are not
 * ours.
 */
int64_t container_root(struct container *c, int64_t pid, uint64_t recorded,
		       bool *foreign);

/*
 * The number that a running process has for itself, in the innermost of its
 * pid name spaces; 0 if it is gone.
 */
int64_t container_pid(int64_t pid);

/*
 * Append the path of a file that a process maps, by the name that its maps
 * have, " (deleted)" behind it if it was: in /proc, where only root may open
 * it.  False if the process maps no such file, or is gone.
 */
bool container_mapping(struct buf *path, int64_t pid, struct str file);

#endif
