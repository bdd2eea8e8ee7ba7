/* pager.h - show standard output in a pager. */
#ifndef PAGER_H
#define PAGER_H

#include <stdbool.h>

/* A running pager; all zero if there is none. */
struct pager {
	int pid;
	int terminal; /* our standard output before */
};

/*
 * Start one of our commands as pager and connect standard output to it.  The
 * command is in the folder of argv0, or in PATH if argv0 has no folder. Failure
 * ends the program with status 2.
 */
void pager_start(struct pager *p, const char *name, const char *argv0);

/* Whether the pager has ended; if so, standard output is the terminal again. */
bool pager_has_ended(struct pager *p);

/*
 * Stop the pager, before its caller stops: the shell takes the terminal when
 * its own child stops, and a pager that restores the terminal after that would
 * be stopped a second time, with nobody to continue it.  Waits for it, but not
 * for ever.  pager_continue() continues it.
 */
void pager_stop(const struct pager *p);
void pager_continue(const struct pager *p);

/*
 * Connect standard output to the terminal again and wait until the pager ends.
 * The caller flushes stdout before.  No effect if there is no pager.
 */
void pager_finish(struct pager *p);

#endif
