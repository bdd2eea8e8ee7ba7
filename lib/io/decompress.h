/* decompress.h - decompress an input through gzip(1) or zstd(1). */
#ifndef DECOMPRESS_H
#define DECOMPRESS_H

#include "base/str.h"

/* All zero for inputs that are not compressed. */
struct decompress {
	const char *filter;
	int child;     /* pid of the filter, 0 if none */
	int feeder;    /* pid of the process that writes to it, 0 if none */
	int source;    /* the data, if there is no feeder */
	uint64_t *fed; /* bytes that the feeder has read, shared with it */
};

/* Run filters without the sandbox from now on, for --no-sandbox. */
void decompress_unconfined(void);

/*
 * Run "filter -dc" on the data of fd, in a sandbox.  head is the part of the
 * data that was already read; fd is rewound over it, or if that is impossible,
 * a process passes the head and the rest of the data to the filter.
 *
 * Returns a descriptor with the decompressed data, and closes fd.  On failure,
 * ends the program with status 2 and a message with the name.
 */
int decompress_begin(struct decompress *d, const char *name, int fd,
		     struct str head, char *filter);

/* How many bytes of the data the filter has read, or somewhat more. */
uint64_t decompress_taken(const struct decompress *d);

/*
 * Wait for the filter.  If all its output was read, its failure ends the
 * program with status 2.
 */
void decompress_end(const struct decompress *d, const char *name, bool all);

#endif
