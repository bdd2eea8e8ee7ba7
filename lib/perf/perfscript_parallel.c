/* perfscript_parallel.c - read a file of perf script text by several threads.
 */
#include "perf/perfscript_parallel.h"

#include "base/mem.h"
#include "base/parallel.h"
#include "reader/sink_fork.h"

#include <stdatomic.h>
#include <stdlib.h>

/* Bytes of a part: some hundred microseconds of work. */
#define PART ((uint64_t)1 << 20)

/* Bytes that are read before other threads begin. */
#define FIRST_PART ((uint64_t)1 << 17)

/* A file with fewer parts is read before other threads have begun. */
#define LEAST_PARTS 8

/* Bytes in which a sample must end, where the file is cut. */
#define REACH ((uint64_t)4 << 20)

/* Parts of the file: from each offset to the next. */
struct cuts {
	uint64_t *at;
	size_t n, cap;
};

struct part_worker {
	struct perfscript *text;
	struct sink *out;
	struct tally tally;
};

struct part_readers {
	const struct perfscript_parallel *how;
	const struct input *in;
	struct input *progress; /* for the calling thread; else NULL */
	const struct cuts *cuts;
	struct part_worker worker[PARALLEL_MAX];
	_Atomic uint64_t lines;
};

/*
 * The offset after the first blank line from an offset on that ends a sample; 0
 * if there is none.  The line before it is a frame, with the tab that perf puts
 * before frames: so it is neither a head nor text that a probe has fetched.
 */
static uint64_t
find_cut(const struct input *in, uint64_t from)
{
	const uint64_t end = from + REACH < in->size ? from + REACH : in->size;
	struct tally tally = { 0 };
	struct perfframe frame;
	struct input near;
	struct str line;
	bool after_frame = false, found = false;

	if (!input_part(&near, in, from, end, &tally))
		return 0;
	near.chunk = 8192;
	while (!found && input_line(&near, &line)) {
		from += line.len + 1;
		found = line.len == 0 && after_frame;
		after_frame = str_starts(line, STR("\t")) &&
			      perfframe_read(line, false, &frame) &&
			      frame.module.len > 0;
	}
	input_close(&near);
	return found && from < end ? from : 0;
}

static void
add_cut(struct cuts *cuts, uint64_t at)
{
	cuts->at = mem_grow(cuts->at, &cuts->cap, cuts->n + 1,
			    sizeof(*cuts->at));
	cuts->at[cuts->n++] = at;
}

/*
 * Cut the file into parts, by its bytes alone: the number of threads must make
 * no difference.  False if it is small, or has no places to cut it at.
 */
static bool
find_cuts(struct cuts *cuts, const struct input *in)
{
	uint64_t at = 0;

	add_cut(cuts, at);
	while (in->size - at > PART) {
		at = find_cut(in, at + (cuts->n == 1 ? FIRST_PART : PART));
		if (at == 0)
			return false;
		add_cut(cuts, at);
	}
	return cuts->n >= LEAST_PARTS;
}

static void
show_progress(struct input *in, uint64_t bytes)
{
	if (in->progress == NULL)
		return;
	in->bytes = bytes;
	in->progress(in);
}

/* Read a part between the first and the last. */
static bool
read_part(void *arg, unsigned worker, size_t item)
{
	struct part_readers *all = arg;
	struct part_worker *w = &all->worker[worker];
	const uint64_t *at = &all->cuts->at[item + 1];
	struct input part;
	bool apart;

	if (!input_part(&part, all->in, at[0], at[1], &w->tally))
		return false;
	apart = all->how->push_part(all->how->arg, w->text, &part, w->out);
	all->lines += part.line;
	if (worker == 0)
		show_progress(all->progress, at[1]);
	input_close(&part);
	return apart && w->tally.bad == 0;
}

/* False if samples of this input cannot be taken apart. */
static bool
begin_workers(struct part_readers *all, const struct perfscript *text,
	      const struct sink *out)
{
	unsigned i;

	for (i = 0; i < all->how->threads; i++) {
		all->worker[i].out = sink_fork(out);
		if (all->worker[i].out == NULL)
			return false;
		all->worker[i].text = perfscript_fork(text);
	}
	return true;
}

static bool
can_join(const struct part_readers *all, const struct sink *out)
{
	unsigned i;

	for (i = 0; i < all->how->threads; i++) {
		if (!sink_fork_can_join(out, all->worker[i].out))
			return false;
	}
	return true;
}

static void
free_workers(struct part_readers *all)
{
	struct part_worker *w = all->worker;

	for (; w < all->worker + PARALLEL_MAX; w++) {
		if (w->text != NULL)
			perfscript_free(w->text);
		sink_fork_free(w->out);
		buf_free(&w->tally.first);
	}
}

/* Read the parts between the first and the last; false if nothing was done. */
static bool
read_middle(const struct perfscript_parallel *p, const struct cuts *cuts,
	    struct perfscript *text, struct input *in, struct sink *out)
{
	struct part_readers all = {
		.how = p, .in = in, .progress = in, .cuts = cuts
	};
	unsigned i;
	bool done = begin_workers(&all, text, out) &&
		    parallel_each(p->threads, cuts->n - 2, read_part, &all) &&
		    can_join(&all, out);

	for (i = 0; done && i < p->threads; i++) {
		perfscript_join(text, all.worker[i].text);
		sink_fork_join(out, all.worker[i].out);
		all.worker[i].out = NULL;
	}
	if (done)
		in->line += all.lines;
	free_workers(&all);
	return done;
}

/* Read the first part: its header and events are those of all. */
static void
read_first(const struct perfscript_parallel *p, uint64_t end,
	   struct perfscript *text, struct input *in, struct sink *out)
{
	struct input part;

	input_part(&part, in, 0, end, in->tally);
	p->push(p->arg, text, &part, out);
	in->line = part.line;
	input_close(&part);
}

void
perfscript_parallel_read(const struct perfscript_parallel *p,
			 struct perfscript *text, struct input *in,
			 struct sink *out)
{
	struct cuts cuts = { 0 };

	if (p->threads > 1 && in->size >= LEAST_PARTS * PART &&
	    find_cuts(&cuts, in)) {
		read_first(p, cuts.at[1], text, in, out);
		input_seek(in, read_middle(p, &cuts, text, in, out) ?
				   cuts.at[cuts.n - 1] :
				   cuts.at[1]);
	}
	free(cuts.at);
}
