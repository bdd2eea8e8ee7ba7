/* debuginfod.h - fetches files from debuginfod servers by their build-ids. */
#ifndef DEBUGINFOD_H
#define DEBUGINFOD_H

#include "base/buf.h"

/*
 * libdebuginfod is loaded when it is needed, so that no program is linked with
 * it and its network libraries.  It finds servers in DEBUGINFOD_URLS and caches
 * files: debuginfod_find_debuginfo(3).
 */
struct debuginfod;

/*
 * Begin; all requests together may last this many seconds.  NULL, with a
 * message appended to *why, if there is no library or no server.
 */
struct debuginfod *debuginfod_new(unsigned seconds, struct buf *why);
void debuginfod_free(struct debuginfod *d);

enum debuginfod_kind { DEBUGINFOD_PROGRAM, DEBUGINFOD_DEBUG };

/*
 * Fetch a file by the bytes of its build-id.  Returns a descriptor, which is
 * the caller's, or -1 if no server has the file or time is over.  If standard
 * error is a terminal it shows the progress, with this name.
 */
int debuginfod_file(struct debuginfod *d, enum debuginfod_kind kind,
		    struct str build_id, struct str name);

/* Append the next note on the requests.  False if there is no more. */
bool debuginfod_note(struct debuginfod *d, struct buf *line);

#endif
