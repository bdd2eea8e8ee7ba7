/* look.h - a thread looked at through /proc, without touching it. */
#ifndef LOOK_H
#define LOOK_H

#include "buf.h"
#include "proctext.h"

/*
 * How it is known that a thread has not run between two looks.  The count of
 * schedstat grows as a thread is given a CPU; where the kernel does not keep
 * it, those of "status" grow as it gives it back, so that it must also be
 * seen waiting.
 */
enum look_count { LOOK_SCHEDSTAT, LOOK_SWITCHES, LOOK_NONE };

/* What this kernel has, by whether our own count grows as we sleep. */
enum look_count look_count(void);

/* The files of one thread, kept open while there are descriptors left. */
struct look_files {
	int64_t pid, tid;
	int runs, call; /* descriptors, or -1 */
};

void look_open(struct look_files *f, int64_t pid, int64_t tid);
void look_close(struct look_files *f);

struct look {
	uint64_t runs; /* how often it ran */
	struct proc_call call;
};

/*
 * False if the thread has gone, or errno is EPERM or EACCES: we may not look
 * at it.
 */
bool look_at(struct look_files *f, enum look_count count, struct look *look);

/* Whether it has stood still since that look. */
bool look_again(struct look_files *f, enum look_count count,
		const struct look *look);

/* Its name and state; slices live in text. */
bool look_stat(const struct look_files *f, struct buf *text,
	       struct proc_stat *stat);

/* Where in the kernel it waits; empty if that is not told. */
struct str look_wchan(const struct look_files *f, struct buf *text);

/* Whether a descriptor of it is a socket; true if it cannot be told. */
bool look_is_socket(const struct look_files *f, uint64_t fd);

#endif
