/* sandbox.h - drop the rights that a command does not need. */
#ifndef SANDBOX_H
#define SANDBOX_H

#include <stdbool.h>

/*
 * What a command still does inside the sandbox.  Every command may read open
 * files, compute, and write to standard output and standard error.
 */
struct sandbox {
	const char *folder; /* folder whose files it may read, or NULL */
	bool spills;        /* write temporary files */
	bool reads_all;     /* read any file, and /proc of any process */
	bool fetches;       /* download files to a cache */
	bool runs;          /* run other programs, to decompress input */
	bool samples; /* stop threads of processes, and read their memory */
	int child;    /* process that may get signals, or 0 */
};

/*
 * Drop all other rights, for this process and its children.  operand lists
 * files that the command still opens and reads, ended by NULL; if it runs
 * programs, it may read any file, as they do.  Where the kernel lacks a
 * feature, the sandbox is weaker; there is no message.
 *
 * Inputs can be hostile and commands run as root: a parser that an input takes
 * over cannot do more than this.  landlock(7) restricts files, seccomp.h
 * restricts system calls.
 */
void sandbox_enter(const struct sandbox *may, char *const *operand);

#endif
