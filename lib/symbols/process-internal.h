/* process-internal.h - processes, their names and memory, for process*.c. */
#ifndef PROCESS_INTERNAL_H
#define PROCESS_INTERNAL_H

#include "base/buf.h"
#include "base/intern.h"
#include "base/table.h"
#include "symbols/process.h"

#include <stdatomic.h>

/* The memory of a process from a time on. */
struct memory_version {
	uint64_t when;
	struct view view;
};

/* The name of a thread from a time on. */
struct comm_version {
	uint64_t when;
	uint32_t name; /* in names */
};

/*
 * Whether a thread lives, and of a process, how many of its threads do.  A
 * process that executes a program, and a new one with an old number, begin a
 * new life: threads of an earlier life do not count.
 */
struct process_life {
	int64_t pid; /* the thread's process */
	uint32_t of; /* the life of that process to which it belongs */
	uint32_t number, threads;
	bool alive; /* the thread itself */
	bool ended; /* it is in the list of those that ended */
	uint64_t end;
};

/* A process, a thread, or both: the first thread has the number of both. */
struct process {
	int64_t id;
	UT_hash_handle hh;
	struct memory_version *memory;
	struct comm_version *comm;
	size_t memories, memory_cap, comms, comm_cap;
	/* Found last; threads guess by each other's finds. */
	_Atomic(size_t) last_memory, last_comm;
	uint64_t mount_ns;
	uint64_t trampoline;      /* the start of "[uprobes]" */
	bool makes_code;          /* has executable memory without a file */
	struct known_file *files; /* its private ones */
	struct process_life life;
	struct process *prev, *next; /* among those that ended */
};

/*
 * A file as mmap records describe it; the key has the same as bytes.  A private
 * one belongs to a process and is freed with it, others are in the arena.
 */
struct known_file {
	struct mapped_file file;
	UT_hash_handle hh;
	bool is_private;
	uint32_t seen;           /* by this collection */
	struct known_file *next; /* of the process */
};

struct cgroup {
	uint64_t id;
	struct str path;
	UT_hash_handle hh;
};

struct processes {
	struct process *processes;               /* by id */
	struct process *last_comm, *last_memory; /* found, or NULL */
	struct process *symbols;                 /* PROCESS_SYMBOLS, or NULL */
	struct process *ended; /* in the order of their records */
	struct addr_spaces spaces;
	struct intern *names;
	struct known_file *files; /* by key */
	struct cgroup *cgroups;   /* by id; in the arena */
	struct arena arena;
	uint32_t views; /* number of the newest */
	bool make_code; /* some process has makes_code */
	struct buf key; /* scratch */

	/* Numbers of private files that were freed, for others. */
	uint32_t *number;
	size_t numbers, numbers_cap;
	uint32_t nfiles; /* numbers in use, or free */

	/* For process_life.c. */
	uint32_t collections;
	size_t versions;                  /* made since the last one */
	size_t versions_kept, bytes_kept; /* that make the next one worth it */
};

/* The process or thread, NULL if unknown; process_get() adds it. */
struct process *process_find(const struct processes *all, int64_t id);
struct process *process_get(struct processes *all, int64_t id);

/* Free a process that is in no table and no list, with its private files. */
void process_free_one(struct process *p);

#endif
