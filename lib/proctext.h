/* proctext.h - the texts that /proc has of processes and their threads. */
#ifndef PROCTEXT_H
#define PROCTEXT_H

#include "str.h"

/*
 * Format: proc(5).  All of these return false, and leave what they fill in
 * undefined, where a text is not as described there.
 */

/* Of "stat". */
struct proc_stat {
	struct str name;      /* at most 15 bytes, any but NUL */
	char state;           /* R S D T t Z X I */
	uint64_t threads;     /* how many there are */
	uint64_t start;       /* in clock ticks since the machine was started */
	uint64_t code, stack; /* addresses, 0 without the right to know */
};

bool proctext_stat(struct str text, struct proc_stat *stat);

/* Of "schedstat": how often the thread was given a CPU. */
bool proctext_runs(struct str text, uint64_t *runs);

/* Of "syscall". */
struct proc_call {
	bool running;   /* nothing else is known then */
	int64_t number; /* -1 if it is in none */
	uint64_t arg[6];
	uint64_t sp, pc;
};

bool proctext_call(struct str text, struct proc_call *call);

/* Of "status": the value of a key, without blanks around it. */
bool proctext_status(struct str text, struct str key, struct str *value);

/* A line of "maps". */
struct proc_map {
	uint64_t start, end, offset, inode;
	uint32_t major, minor;
	struct str prot; /* "r-xp" */
	struct str path; /* or "[stack]", or empty */
};

bool proctext_map(struct str line, struct proc_map *map);

static inline bool
proctext_is_code(const struct proc_map *map)
{
	return map->prot.p[2] == 'x';
}

#endif
