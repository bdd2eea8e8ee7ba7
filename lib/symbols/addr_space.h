/* addr_space.h - address spaces whose older versions stay valid. */
#ifndef ADDR_SPACE_H
#define ADDR_SPACE_H

#include "base/arena.h"

/*
 * A mapped file, or other mapped memory ("[vdso]", "//anon").  Mappings with
 * the same path, build-id, device and inode share one; memory that differs
 * between processes has one for each process.
 */
struct mapped_file {
	uint32_t number;     /* from 0, without gaps */
	struct str path;     /* as recorded */
	struct str build_id; /* bytes; empty if not recorded */
	uint32_t major, minor;
	uint64_t inode; /* 0 if not recorded */
	int64_t pid;    /* the first process that mapped it */
};

/* Whether it is memory without a file, where a JIT may put code. */
bool addr_space_is_anonymous(const struct mapped_file *f);

/* Addresses from start to before end; offset is start's offset in the file. */
struct mapping {
	uint64_t start, end, offset;
	const struct mapped_file *file;
};

/*
 * The mappings of a process at one time: a tree that shares its unchanged
 * parts with earlier and later versions, and with forked processes.  NULL is
 * the empty space.  All trees are valid until addr_space_free().
 */
struct addr_space;

/* Memory for the spaces of a recording. */
struct addr_spaces {
	struct arena arena;
	uint64_t stamp, random;
	struct arena old; /* between addr_space_begin_move() and end_move() */
};

void addr_space_init(struct addr_spaces *all);
void addr_space_free(struct addr_spaces *all);

/*
 * Return the space with a mapping added, over what it overlaps.  If s was made
 * since the last addr_space_keep(), s itself changes and must not be used
 * again.
 */
const struct addr_space *addr_space_map(struct addr_spaces *all,
					const struct addr_space *s,
					const struct mapping *m);

/* From now on, addr_space_map() leaves the spaces made so far unchanged. */
void addr_space_keep(struct addr_spaces *all);

/*
 * Free the memory of all spaces but some: begin, move each space that is still
 * needed, and end.  Only the spaces that addr_space_move() returns are valid
 * then, and the pointers to mappings in others are not.  seen() is called once
 * for each mapping that is kept.  Spaces share their parts as before.
 */
void addr_space_begin_move(struct addr_spaces *all);
const struct addr_space *
addr_space_move(struct addr_spaces *all, const struct addr_space *s,
		void (*seen)(void *arg, const struct mapping *m), void *arg);
void addr_space_end_move(struct addr_spaces *all);

/* The mapping of an address, or NULL. */
const struct mapping *addr_space_find(const struct addr_space *s,
				      uint64_t address);

/*
 * Whether a mapping is code that its program moved onto large pages: anonymous
 * memory of whole large pages, between two parts of a file's code that are
 * where the file has them.  If so, *code is the mapping that it replaced.
 */
bool addr_space_is_moved(const struct addr_space *s, const struct mapping *m,
			 struct mapping *code);

/* Whether anything is mapped from start to before end. */
bool addr_space_overlaps(const struct addr_space *s, uint64_t start,
			 uint64_t end);

#endif
