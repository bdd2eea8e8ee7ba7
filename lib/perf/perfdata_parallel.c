/* perfdata_parallel.c - read a perf.data file by several threads. */
#include "perf/perfdata_parallel.h"

#include "base/parallel.h"
#include "reader/sink_fork.h"

#include <stdlib.h>

/* A file with fewer parts is read before other threads have begun. */
#define LEAST_PARTS 8

/* Samples of each part, and files, whose tables are read beforehand. */
#define LEAVES 4
#define FILES 64

struct data_worker {
	struct perfdata_samples *samples;
	struct perfdata_tokens tokens;
	struct sink *out;
	struct tally tally;
};

struct data_readers {
	const struct perfdata_parallel *how;
	const struct perf_cut *cut;
	size_t ncuts;
	struct perfdata_leaf file[FILES]; /* a sample of each file */
	size_t nfiles;
	struct data_worker worker[PARALLEL_MAX];
};

/* Read a part after the first. */
static bool
read_part(void *arg, unsigned worker, size_t item)
{
	const struct data_readers *all = arg;
	struct data_worker *w = &((struct data_readers *)arg)->worker[worker];

	perfdata_samples_part(w->samples, &all->cut[item + 1],
			      &all->cut[item + 2], true);
	all->how->push(w->samples, &w->tokens, w->out);
	return w->tally.bad == 0;
}

/* False if samples of this recording cannot be taken apart. */
static bool
begin_workers(struct data_readers *all, struct perfdata_samples *samples)
{
	struct data_worker *w = all->worker;

	for (; w < all->worker + all->how->threads; w++) {
		w->samples = perfdata_samples_fork(samples, &w->tally);
		if (w->samples == NULL)
			return false;
	}
	return true;
}

static bool
begin_sinks(struct data_readers *all, const struct sink *out)
{
	struct data_worker *w = all->worker;

	for (; w < all->worker + all->how->threads; w++) {
		w->out = sink_fork(out);
		if (w->out == NULL)
			return false;
		/* They were announced to the sink itself. */
		w->tokens.announced = SIZE_MAX;
	}
	return true;
}

/* Files. */

static void
add_file(struct data_readers *all, const struct perfdata_leaf *leaf)
{
	size_t i;

	for (i = 0; i < all->nfiles; i++)
		if (all->file[i].file == leaf->file)
			return;
	if (i < FILES)
		all->file[all->nfiles++] = *leaf;
}

/* Find the files that samples are in, by a few samples of each part. */
static void
find_files(struct data_readers *all)
{
	struct perfdata_samples *samples = all->worker[0].samples;
	struct perfdata_leaf leaf;
	size_t i, n;

	for (i = 0; i + 1 < all->ncuts; i++) {
		perfdata_samples_part(samples, &all->cut[i], &all->cut[i + 1],
				      true);
		for (n = 0; n < LEAVES && perfdata_samples_leaf(samples, &leaf);
		     n++)
			add_file(all, &leaf);
	}
}

static bool
read_table(void *arg, unsigned worker, size_t item)
{
	const struct data_readers *all = arg;

	perfdata_samples_table(all->worker[worker].samples,
			       &all->file[item % all->nfiles],
			       item < all->nfiles ? 0 : 1);
	return true;
}

/*
 * Read the tables of these files, each by one thread: the first sample would
 * make one thread read most of them.
 */
static void
read_files(struct data_readers *all)
{
	find_files(all);
	parallel_each(all->how->threads, 2 * all->nfiles, read_table, all);
}

static bool
can_join(const struct data_readers *all, const struct perfdata_samples *samples,
	 const struct sink *out)
{
	const struct data_worker *w = all->worker;

	for (; w < all->worker + all->how->threads; w++) {
		if (!perfdata_samples_can_join(samples, w->samples) ||
		    !sink_fork_can_join(out, w->out))
			return false;
	}
	return true;
}

static void
join(struct data_readers *all, struct perfdata_samples *samples,
     struct sink *out)
{
	struct data_worker *w = all->worker;

	for (; w < all->worker + all->how->threads; w++) {
		perfdata_samples_join(samples, w->samples);
		sink_fork_join(out, w->out);
		w->out = NULL;
	}
}

static void
free_workers(struct data_readers *all)
{
	struct data_worker *w = all->worker;

	for (; w < all->worker + PARALLEL_MAX; w++) {
		if (w->samples != NULL)
			perfdata_samples_fork_free(w->samples);
		sink_fork_free(w->out);
		codetokens_free(&w->tokens.codes);
		free(w->tokens.token);
		buf_free(&w->tally.first);
	}
}

void
perfdata_parallel_read(const struct perfdata_parallel *p,
		       struct perfdata_samples *samples,
		       struct perfdata_tokens *tokens, struct sink *out)
{
	struct data_readers all = { .how = p };
	size_t n;
	bool done;

	all.cut = perfdata_samples_cuts(samples, &n);
	if (p->threads < 2 || all.cut == NULL || n <= LEAST_PARTS)
		return;
	all.ncuts = n;
	done = begin_workers(&all, samples);
	if (done)
		read_files(&all);
	/* The first part shows the sink what all samples have. */
	perfdata_samples_part(samples, &all.cut[0], &all.cut[1], true);
	p->push(samples, tokens, out);
	done = done && begin_sinks(&all, out) &&
	       parallel_each(p->threads, n - 2, read_part, &all) &&
	       can_join(&all, samples, out);
	if (done)
		join(&all, samples, out);
	free_workers(&all);
	perfdata_samples_part(samples, &all.cut[done ? n - 1 : 1],
			      &all.cut[n - 1], false);
}
