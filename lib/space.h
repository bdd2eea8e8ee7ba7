/* space.h - address spaces that keep their past. */
#ifndef SPACE_H
#define SPACE_H

#include "arena.h"

/*
 * A file as it is mapped, or memory of another kind ("[vdso]", "//anon").
 * There is one for each combination of what follows, numbered from 0.
 */
struct mapped {
	uint32_t number;
	struct str path;     /* as recorded */
	struct str build_id; /* bytes; empty if not recorded */
	uint32_t major, minor;
	uint64_t inode; /* 0 if not recorded */
	int64_t pid;    /* of the first process that mapped it */
};

/* Whether it is memory without a file, in which a JIT may have put code. */
bool mapped_is_anonymous(const struct mapped *m);

/* Addresses from start to before end; start lies at offset in the file. */
struct mapping {
	uint64_t start, end, offset;
	const struct mapped *file;
};

/*
 * An address space at one time: a tree that shares what did not change with
 * those before and behind it, and with those of forked processes.  NULL is
 * empty.  Trees are kept in an arena for as long as the table lives.
 */
struct space;

/* All spaces of a recording; begin with a seed, which is any number. */
struct spaces {
	struct arena arena;
	uint64_t stamp, random;
};

void spaces_init(struct spaces *all);
void spaces_free(struct spaces *all);

/*
 * The space with a mapping put over what it overlaps.  What was returned
 * since the last spaces_keep() is changed, not copied.
 */
const struct space *space_map(struct spaces *all, const struct space *s,
			      const struct mapping *m);

/* Leave alone, from now on, all spaces that there are. */
void spaces_keep(struct spaces *all);

/* The mapping of an address, or NULL. */
const struct mapping *space_find(const struct space *s, uint64_t address);

/*
 * Whether a mapping of the space is code of a file that its program moved onto
 * large pages: memory of whole such pages, amid what else of the file's code
 * is where it was.  If so, *code is the file mapped there.
 */
bool space_is_moved(const struct space *s, const struct mapping *m,
		    struct mapping *code);

/* Whether something is mapped from start to before end. */
bool space_overlaps(const struct space *s, uint64_t start, uint64_t end);

#endif
