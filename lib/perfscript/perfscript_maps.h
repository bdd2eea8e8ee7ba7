/* perfscript_maps.h - mappings of files, from perf script text. */
#ifndef PERFSCRIPT_MAPS_H
#define PERFSCRIPT_MAPS_H

#include "perfscript/perfline.h"

/*
 * For code in a file, perf script prints the address in the file (Linux 6.1
 * and before) or in the process (later versions).  The mappings show which of
 * the two it is.
 */
struct perfscript_maps;

struct perfscript_maps *perfscript_maps_new(void);
void perfscript_maps_free(struct perfscript_maps *maps);

/* Add a mapping, valid from now on. */
void perfscript_maps_add(struct perfscript_maps *maps,
			 const struct perfline_map *m);

/*
 * Convert an address that was printed with the path of a file to an address in
 * the process.  A file can be mapped several times: set *nth to 0 and call
 * again for the next candidate.
 *
 * Returns false if there are no more candidates, or none at all.  A program at
 * low addresses may match as both kinds; until another file has shown which
 * kind is printed, there is no candidate.
 */
bool perfscript_maps_address(struct perfscript_maps *maps, int64_t pid,
			     struct str path, uint64_t printed, size_t *nth,
			     uint64_t *address);

#endif
