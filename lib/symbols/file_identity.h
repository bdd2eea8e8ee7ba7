/* file_identity.h - whether a file is the one that a process had mapped. */
#ifndef FILE_IDENTITY_H
#define FILE_IDENTITY_H

#include "base/buf.h"
#include "elf/elf.h"
#include "perfdata/perffeat.h"
#include "symbols/addr_space.h"

/* The build-id in the mapping or in the recording's header; may be empty. */
struct str file_identity_recorded(const struct perf_features *f,
				  const struct mapped_file *file);

/*
 * Whether two build-ids are equal and not empty.  Zeros at the end do not
 * count, because perf pads build-ids.
 */
bool file_identity_equal(struct str a, struct str b);

enum file_identity_trust {
	FILE_IDENTITY_ELSEWHERE, /* below --symfs: only a build-id decides */
	FILE_IDENTITY_LIKELY,    /* at the recorded path: true if in doubt */
	FILE_IDENTITY_PROVEN     /* may be another file: false if in doubt */
};

/*
 * Whether a file is the one that was mapped.  Build-ids decide if both have
 * one.  Otherwise the inode decides, but only if the device is the recorded
 * one: programs see other devices of overlayfs and btrfs than the kernel does.
 */
bool file_identity_matches(const struct perf_features *f,
			   const struct mapped_file *file,
			   const struct elf *elf,
			   enum file_identity_trust trust);

/*
 * Whether the running kernel has a build-id.  True if either build-id is
 * unknown.
 */
bool file_identity_runs(struct str kernel_id);

/*
 * Append perf's folder for copies of files, without a NUL.  False if HOME is
 * not set.
 */
bool file_identity_cache(struct buf *path);

/*
 * Append the path of a copy in that folder by its build-id, with a NUL; what is
 * "elf" or "kallsyms".  False if HOME is not set or the build-id is too short.
 */
bool file_identity_cached(struct buf *path, struct str id, const char *what);

#endif
