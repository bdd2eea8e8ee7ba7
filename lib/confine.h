/* confine.h - a command gives up what it does not need, before it parses. */
#ifndef CONFINE_H
#define CONFINE_H

#include <stdbool.h>

/*
 * What a command does from then on besides reading what is open, computing
 * and writing to its standard output and error.
 */
struct confine {
	const char
	    *output;    /* a file that it writes as replace.h does, or NULL */
	bool spills;    /* to temporary files */
	bool reads_all; /* any file, and what /proc has of any process */
	bool fetches;   /* files from the network, to a cache */
	bool runs;      /* other programs, to decompress with */
};

/*
 * Give up everything else, for this process and all that it begins, as far as
 * the kernel knows how; it says nothing if it does not.  Files that are still
 * to be opened and read are in operand, NULL at its end; if it runs programs,
 * these need to read others, and any may be read.
 *
 * Inputs are hostile, and commands run as root: a parser that was taken over
 * cannot reach more than this.  Files are the matter of landlock(7), all else
 * that of callfilter.h.
 */
void confine(const struct confine *may, char *const *operand);

#endif
