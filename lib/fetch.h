/* fetch.h - files from a debuginfod server, by their build-ids. */
#ifndef FETCH_H
#define FETCH_H

#include "buf.h"

/*
 * Through libdebuginfod, which is loaded when it is needed, so that nothing
 * is linked with it, and with what it needs for the network.  It takes the
 * servers from DEBUGINFOD_URLS and keeps the files; debuginfod(7),
 * debuginfod_find_debuginfo(3).
 */
struct fetch;

/*
 * Begin; all requests together take no longer than these seconds.  Ends the
 * program with status 2 if there is no such library or no server is named.
 */
struct fetch *fetch_new(unsigned seconds);
void fetch_free(struct fetch *f);

enum fetch_what { FETCH_PROGRAM, FETCH_DEBUG };

/*
 * A file by its build-id, the bytes: a descriptor, which is the caller's; -1
 * if there is none, or time is over.  On a terminal it is said how far it
 * is, for the file of this name.
 */
int fetch_file(struct fetch *f, enum fetch_what what, struct str build_id,
	       struct str name);

/* Append what came of it: the next line of as many as there are, or false. */
bool fetch_note(struct fetch *f, struct buf *line);

#endif
