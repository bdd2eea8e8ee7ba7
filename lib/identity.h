/* identity.h - whether a file is the one that was mapped. */
#ifndef IDENTITY_H
#define IDENTITY_H

#include "buf.h"
#include "elf.h"
#include "perffeat.h"
#include "space.h"

/* The build-id of a file, as the mapping or the recording's header has it. */
struct str identity_recorded(const struct perf_features *f,
			     const struct mapped *file);

/* Whether build-ids are equal, and there; some are padded with zeros. */
bool identity_equal(struct str a, struct str b);

enum identity_trust {
	IDENTITY_ELSEWHERE, /* copies of another machine: by build-id alone */
	IDENTITY_LIKELY,    /* the path is the recorded one */
	IDENTITY_PROVEN     /* it may well be another one: prove it */
};

/*
 * Whether a file is the one that was mapped.  If no build-id was recorded its
 * inode decides, but only on the device that was recorded: overlays and btrfs
 * show programs another one than the kernel has.
 */
bool identity_matches(const struct perf_features *f, const struct mapped *file,
		      const struct elf *elf, enum identity_trust trust);

/* Whether the kernel that runs here is one of a build-id, or may be. */
bool identity_runs(struct str kernel_id);

/*
 * Where perf keeps copies of files: append that folder, without a NUL; false
 * if there is no HOME.
 */
bool identity_cache(struct buf *path);

/*
 * There, by their build-id: append the path of the "elf" of one, or of the
 * "kallsyms", with a NUL; false if there is no HOME.
 */
bool identity_cached(struct buf *path, struct str id, const char *what);

#endif
