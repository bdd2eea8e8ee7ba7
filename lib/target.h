/* target.h - a process that runs: what it is, and what it has mapped. */
#ifndef TARGET_H
#define TARGET_H

#include "arena.h"
#include "buf.h"
#include "process.h"
#include "proctext.h"

/* Build-ids of files that were mapped, opened once each. */
struct build_ids;

struct build_ids *build_ids_new(void);
void build_ids_free(struct build_ids *all);

/* What was mapped when this was last looked at. */
struct target_maps {
	struct buf text;
	struct proc_map *map; /* sorted; slices point into text */
	size_t n, cap;
};

struct target {
	int64_t pid;
	uint64_t start;            /* in ticks, as proc(5) has it */
	uint64_t threads;          /* how many it had at the last check */
	struct buf name;           /* of the process */
	struct target_maps maps;   /* all of its memory */
	struct target_maps before; /* the look before this one */
	uint64_t looked;           /* when, in ns */
	uint64_t code, stack;      /* by which an exec is seen */
	bool begun;                /* something was told of it */
};

/* Who is told of what is new, or NULL; slices live during the call. */
struct target_news {
	void (*process)(void *arg, const struct target *t);
	void (*map)(void *arg, const struct target *t,
		    const struct proc_map *map, struct str build_id);
	void *arg;
};

/*
 * See whether it is still the same process, by its "stat", and whether it
 * executed another program since: then news and processes are told.  False
 * if it is gone, or has ended and is not waited for.
 */
bool target_check(struct target *t, struct processes *processes,
		  const struct target_news *news, uint64_t now);

/*
 * Look at the memory again, by a thread that lives, and tell of code that was
 * not there before.
 */
void target_look(struct target *t, int64_t tid, struct processes *processes,
		 struct build_ids *ids, const struct target_news *news,
		 uint64_t now);

/* The mapping at an address, or NULL. */
const struct proc_map *target_map(const struct target *t, uint64_t address);

void target_free(struct target *t);

/* All of a file of /proc; false if it cannot be read. */
bool target_file(struct buf *text, const char *path);

#endif
