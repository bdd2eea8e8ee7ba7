/* build_ids.h - build-ids of mapped files; each file is opened once. */
#ifndef BUILD_IDS_H
#define BUILD_IDS_H

#include "os/proctext.h"

struct build_ids;

struct build_ids *build_ids_new(void);
void build_ids_free(struct build_ids *all);

/*
 * The build-id of a file that a process has mapped, in bytes; empty if there is
 * none.  Valid as long as all.
 */
struct str build_ids_of(struct build_ids *all, int64_t pid,
			const struct proc_map *map);

#endif
