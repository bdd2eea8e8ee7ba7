/* process_life.h - forgets the processes of a recording that have ended. */
#ifndef PROCESS_LIFE_H
#define PROCESS_LIFE_H

#include "symbols/process.h"

/* Note what a record of process_add() says about threads that begin or end. */
void process_life_add(struct processes *all, const struct perf_record *r,
		      uint64_t when);

/*
 * Note a sample of a thread.  If the process seemed to have ended, because perf
 * lost the record of a new thread, it lives on.
 */
void process_life_seen(struct processes *all, int64_t pid, int64_t tid,
		       uint64_t when);

/* Called for each file and thread that is forgotten. */
struct process_gone {
	/* A file is freed.  True if nothing has kept its number. */
	bool (*file)(void *arg, const struct mapped_file *file);
	/* A thread; the first thread of a process stands for the process. */
	void (*thread)(void *arg, int64_t tid);
	void *arg;
};

/*
 * Nothing before this time will be looked up: forget threads and processes that
 * had ended by then, and names and memory that had been replaced.  Much is kept
 * until it is as much as the rest, so that a call is cheap on average.  Not
 * while there are forks.  Pointers to mappings are not valid afterwards.
 */
void process_life_forget(struct processes *all, uint64_t before,
			 const struct process_gone *gone);

/* How often process_life_forget() has freed mappings. */
uint32_t process_life_collections(const struct processes *all);

#endif
