/* seccomp.h - refuse system calls that a command does not need; seccomp(2). */
#ifndef SECCOMP_H
#define SECCOMP_H

/* What a command still does. */
enum {
	SYSCALLS_WRITES = 1,  /* create and rename files with names */
	SYSCALLS_RUNS = 2,    /* run other programs */
	SYSCALLS_FETCHES = 4, /* use the network, and write a cache */
	SYSCALLS_TRACED = 8,  /* trace itself */
	SYSCALLS_SAMPLES =
	    16 /* stop threads, read their memory, set priority */
};

/*
 * Refuse all system calls that are not needed for the given bits, for the rest
 * of the process and for its children.  It may send signals to itself, and to
 * child if that is not 0.  Requires PR_SET_NO_NEW_PRIVS.  Does
 * nothing if the kernel has no filters, or lib/arch does not know the machine.
 */
void seccomp_apply(unsigned may, int child);

#endif
