/* callfilter.h - calls of the system that a command gives up, by seccomp(2). */
#ifndef CALLFILTER_H
#define CALLFILTER_H

/* What calls are still needed for. */
enum {
	CALLFILTER_WRITES = 1,  /* files with names: making, renaming them */
	CALLFILTER_RUNS = 2,    /* other programs */
	CALLFILTER_FETCHES = 4, /* the network, and a cache for what comes */
	CALLFILTER_TRACED = 8   /* the process traces itself */
};

/*
 * Have calls refused that are for nothing of what is or'ed together, to the
 * end of the process and in all that it begins and executes.  It must have
 * PR_SET_NO_NEW_PRIVS.  Does nothing where the kernel has no such filters, and
 * on other machines than x86-64 and aarch64.
 */
void callfilter(unsigned may);

#endif
