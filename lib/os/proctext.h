/* proctext.h - parse the files of processes and threads in /proc. */
#ifndef PROCTEXT_H
#define PROCTEXT_H

#include "base/str.h"

/*
 * Format: proc(5).  All functions return false if a text has another format;
 * then their results are undefined.  Slices point into the text.
 */

/* /proc/PID/stat */
struct proc_stat {
	struct str name;      /* at most 15 bytes, any but NUL */
	char state;           /* R S D T t Z X I */
	uint64_t threads;     /* number of threads */
	uint64_t start;       /* clock ticks from boot to process start */
	uint64_t code, stack; /* addresses; 0 without permission */
};

bool proctext_stat(struct str text, struct proc_stat *stat);

/* /proc/PID/schedstat */
struct proc_schedstat {
	uint64_t ran;    /* time on a CPU, in ns */
	uint64_t queued; /* time in which it waited for one, in ns */
	uint64_t runs;   /* how often it was scheduled on a CPU */
};

bool proctext_schedstat(struct str text, struct proc_schedstat *schedstat);

/* /proc/PID/syscall */
struct proc_call {
	bool running;   /* then the other fields are not set */
	int64_t number; /* -1 outside of system calls */
	uint64_t arg[6];
	uint64_t sp, pc;
};

bool proctext_call(struct str text, struct proc_call *call);

/* /proc/PID/status: the value of a key, without spaces around it. */
bool proctext_status(struct str text, struct str key, struct str *value);

/* A line of /proc/PID/maps */
struct proc_map {
	uint64_t start, end, offset, inode;
	uint32_t major, minor;
	struct str prot; /* "r-xp" */
	struct str path; /* or "[stack]" and the like, or empty */
};

bool proctext_map(struct str line, struct proc_map *map);

static inline bool
proctext_is_code(const struct proc_map *map)
{
	return map->prot.p[2] == 'x';
}

#endif
