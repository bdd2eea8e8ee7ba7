/* topthreads.h - threads and what each does; stacks without their numbers. */
#ifndef TOPTHREADS_H
#define TOPTHREADS_H

#include "base/count.h"
#include "base/regex.h"
#include "top/thread_activity.h"

/* All threads together. */
#define TOPTHREADS_ALL UINT32_MAX

struct topthread {
	struct str name;          /* borrowed from the names */
	int64_t pid, tid;         /* -1 if unknown */
	double sum[WAIT_CLASSES]; /* weight by class */
	double total;
	uint32_t stack; /* frame of merged, the end of its heaviest stack */
	double heaviest;
};

/*
 * A first frame "worker-12/34" is thread 34 of process 12; any other first
 * frame is a thread without numbers.  Stacks of threads with the same name are
 * the same in the trie merged.  Initialize with topthreads_init(), release with
 * topthreads_free().
 */
struct topthreads {
	struct trie merged;
	struct topthread *thread;
	size_t n;
	uint32_t *row; /* threads to show, in order; by topthreads_list() */
	size_t rows, hidden; /* hidden are idle */

	/* Private to topthreads.c. */
	const struct trie *trie;
	struct intern *names;
	uint32_t frames;                 /* of trie that are known */
	uint32_t *merged_of, *thread_of; /* by frame of trie */
	double *weight;                  /* the same */
	size_t merged_cap, thread_of_cap, weight_cap, thread_cap, row_cap;
};

/* The arguments are borrowed. */
void topthreads_init(struct topthreads *t, const struct trie *trie,
		     struct intern *names);
void topthreads_free(struct topthreads *t);

/* Add the new frames of the trie, with weight 0. */
void topthreads_grow(struct topthreads *t);

/* Set the weights of all frames of the trie. */
void topthreads_set(struct topthreads *t, const struct count *count);

/* Add up the weights of one thread, or of all, by frame of merged. */
void topthreads_weigh(const struct topthreads *t, uint32_t thread,
		      double *weight);

struct topthreads_query {
	int only_class; /* with any of that class, by it; -1: all, by CPU */
	bool by_name;   /* sort so */
	bool with_idle; /* also threads that only idle */
	struct regex *match; /* name, or function it is in; NULL: all */
};

/*
 * Sum up the threads by class, and list them.  a has the weights of all.
 */
void topthreads_list(struct topthreads *t, const struct thread_activity *a,
		     const struct topthreads_query *q);

#endif
