/* pids.h - the ids of the processes to sample. */
#ifndef PIDS_H
#define PIDS_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Each id is in the list once.  All zero is empty; release with pids_free(). */
struct pids {
	int64_t *pid;
	size_t n, cap;
	int64_t child; /* runs the command of pids_start(); 0 if none does */
};

/*
 * Append the name of the process, if it is one and runs; nothing otherwise.
 */
void pids_name(const struct pids *pids, struct buf *out);

void pids_add(struct pids *pids, int64_t pid);

/*
 * Whether a process has a name.  The kernel keeps 15 bytes of a name: only
 * these are compared.  The name may be a pattern, glob(7), of these bytes.
 */
bool pids_has_name(int64_t pid, const char *name);

/*
 * Add all processes with a name, except this one.  False if there is none.
 */
bool pids_add_named(struct pids *pids, const char *name);

/*
 * Start a command in a child process and add the child.  If the command cannot
 * be executed, the child prints why and exits with status 127.  False, with
 * errno set, if there is no child.
 */
bool pids_start(struct pids *pids, char *argv[]);

/*
 * Replace this process with a command that our parent process, and all that it
 * starts, may trace; Yama may allow that only to ancestors of the command.
 * Returns, with errno set, only if the command cannot be executed.
 */
void pids_exec_traceable(char *argv[]);

/* Whether the child of pids_start() has ended. */
bool pids_child_ended(struct pids *pids);

void pids_free(struct pids *pids);

#endif
