/* debug_path.h - where to search for programs and their debug files. */
#ifndef DEBUG_PATH_H
#define DEBUG_PATH_H

#include "base/buf.h"

struct debug_path_options {
	const char *symfs;     /* folder with all files; NULL: this system */
	const char *debug_dir; /* debug files by build-id; NULL: as usual */
	unsigned fetch;        /* seconds for debuginfod; 0: do not use it */
};

struct elf_paths;
struct debuginfod;
struct debug_path;

/*
 * The strings of the options outlive it.  NULL, with a message appended to
 * *why, if debuginfod is wanted and cannot be used.
 */
struct debug_path *debug_path_new(const struct debug_path_options *options,
				  struct buf *why);
void debug_path_free(struct debug_path *p);

/* For elf_open(). */
const struct elf_paths *debug_path_elf(const struct debug_path *p);

/* NULL if debuginfod is not used. */
struct debuginfod *debug_path_fetch(const struct debug_path *p);

#endif
