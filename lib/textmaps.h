/* textmaps.h - where files are in processes, by perf script text. */
#ifndef TEXTMAPS_H
#define TEXTMAPS_H

#include "perfline.h"

/*
 * perf script prints addresses in the file for what lies in files (Linux 6.1
 * and before), or those of the process (later ones).  Its mappings tell which
 * these are.
 */
struct textmaps;

struct textmaps *textmaps_new(void);
void textmaps_free(struct textmaps *t);

/* From now on, memory of a process has a file. */
void textmaps_add(struct textmaps *t, const struct perfline_map *m);

/*
 * The address in the process of one that was printed with a file's path: the
 * next of as many as there may be, for a file can be mapped twice; *nth is 0
 * at first.  False if there are no more, or none is known: a program at low
 * addresses may have both kinds, and it takes another file to see which are
 * printed.
 */
bool textmaps_address(struct textmaps *t, int64_t pid, struct str path,
		      uint64_t printed, size_t *nth, uint64_t *address);

#endif
