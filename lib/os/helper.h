/* helper.h - a process that keeps a right which the sandbox takes from us. */
#ifndef HELPER_H
#define HELPER_H

#include <sys/types.h>

/* All zero at the start. */
struct helper {
	int socket; /* for requests; fd_pass.h */
	pid_t pid;  /* 0: none */
};

/*
 * Start a process that calls serve() with its end of the socket, and ends when
 * serve() returns.  serve() returns when no more requests come: then this
 * process has ended, or has called helper_stop().  Signals of the terminal do
 * not end the helper.  Call this before the sandbox; only one at a time.  Ends
 * the program with status 2 and the name of the file if it fails.
 */
void helper_start(struct helper *h, void (*serve)(void *arg, int socket),
		  void *arg, const char *file);

/* Wait for the end of the helper.  exit() does it as well. */
void helper_stop(struct helper *h);

#endif
