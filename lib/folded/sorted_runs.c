/* sorted_runs.c - merge sorted profiles while reading them side by side. */
#include "folded/sorted_runs.h"

#include "base/mem.h"

#include <err.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/resource.h>

/* With more inputs than this, use small buffers to save memory. */
#define FEW 16
#define SMALL_CHUNK (16 * 1024)

static void
set_bad(struct sorted_runs *r, struct sorted_runs_input *run,
	const char *reason)
{
	if (r->bad == NULL) {
		r->bad = run;
		r->bad_line = run->in.line;
		r->reason = reason;
	}
}

/* Advance an input to its next stack. */
static void
read_next(struct sorted_runs *r, struct sorted_runs_input *run, bool first)
{
	enum folded_kind kind;

	while ((kind = folded_read(&run->f, &run->in)) != FOLDED_STACK &&
	       kind != FOLDED_END) {
		if (kind == FOLDED_BLANK ||
		    (kind == FOLDED_META && !(first && run->f.is_header)))
			set_bad(r, run, "it is a stream");
	}
	run->more = kind == FOLDED_STACK;
	if (!run->more)
		return;
	if (r->counts == 0)
		r->counts = run->f.counts;
	if (run->f.counts != r->counts)
		set_bad(r, run, "its lines have another number of counts");
}

static bool
is_before(const struct sorted_runs_input *a, const struct sorted_runs_input *b)
{
	return str_cmp(a->f.stack, b->f.stack) < 0;
}

/* Restore the heap after the input at place i has changed. */
static void
sink(struct sorted_runs *r, size_t i)
{
	struct sorted_runs_input **heap = r->heap, *run = heap[i];
	size_t child;

	for (; (child = 2 * i + 1) < r->nheap; i = child) {
		if (child + 1 < r->nheap &&
		    is_before(heap[child + 1], heap[child]))
			child++;
		if (!is_before(heap[child], run))
			break;
		heap[i] = heap[child];
	}
	heap[i] = run;
}

size_t
sorted_runs_most(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur > 1024)
		return 256;
	return limit.rlim_cur < 16 ? 4 : limit.rlim_cur / 4;
}

void
sorted_runs_open(struct sorted_runs *r, struct tally *tally)
{
	struct sorted_runs_input *run;
	size_t i;

	r->heap = mem_zero(r->n, sizeof(struct sorted_runs_input *));
	for (run = r->input; run < r->input + r->n; run++) {
		if (run->fd > 0)
			input_open_fd(&run->in, run->name, run->fd, tally);
		else
			input_open(&run->in, run->name, tally);
		if (r->n > FEW)
			run->in.chunk = SMALL_CHUNK;
		run->f = (struct folded){ .counts = run->counts };
		read_next(r, run, true);
		if (run->more)
			r->heap[r->nheap++] = run;
	}
	for (i = r->nheap / 2; i > 0; i--)
		sink(r, i - 1);
}

bool
sorted_runs_stack(const struct sorted_runs *r, struct buf *stack)
{
	if (r->nheap == 0 || r->bad != NULL)
		return false;
	buf_str(stack, r->heap[0]->f.stack);
	return true;
}

struct sorted_runs_input *
sorted_runs_at(const struct sorted_runs *r, struct str stack)
{
	return r->nheap > 0 && str_eq(r->heap[0]->f.stack, stack) ? r->heap[0] :
								    NULL;
}

void
sorted_runs_skip(struct sorted_runs *r, struct str stack)
{
	struct sorted_runs_input *run = r->heap[0];

	read_next(r, run, false);
	if (!run->more)
		r->heap[0] = r->heap[--r->nheap];
	else if (str_cmp(run->f.stack, stack) < 0)
		set_bad(r, run, "it is not sorted");
	if (r->nheap > 0)
		sink(r, 0);
}

/* Add the counts of an input's line. */
static void
add_counts(const struct sorted_runs_input *run, struct count sum[2])
{
	int k;

	for (k = 0; run->column + k < 2; k++) {
		if (!count_add(&sum[run->column + k], run->f.count[k]))
			errx(2,
			     "%s:%" PRIu64 ": the counts add up to more "
			     "than 64 bits",
			     run->in.name, run->in.line);
	}
}

bool
sorted_runs_next(struct sorted_runs *r, struct buf *stack, struct count sum[2])
{
	size_t start = stack->len;
	const struct sorted_runs_input *run;
	struct str s;

	if (!sorted_runs_stack(r, stack))
		return false;
	s = (struct str){ stack->p + start, stack->len - start };
	sum[0] = sum[1] = count_of(0);
	while ((run = sorted_runs_at(r, s)) != NULL) {
		add_counts(run, sum);
		sorted_runs_skip(r, s);
	}
	return true;
}

void
sorted_runs_close(struct sorted_runs *r)
{
	struct sorted_runs_input *run;

	for (run = r->input; run < r->input + r->n; run++) {
		folded_free(&run->f);
		input_close(&run->in);
	}
	free(r->heap);
}
