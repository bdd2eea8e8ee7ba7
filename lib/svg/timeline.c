/* timeline.c - samples in the order of time, with their threads. */
#include "svg/timeline.h"

#include "base/mem.h"

#include <stdlib.h>

/* Thread of a stack without a time. */
#define UNTIMED UINT32_MAX

/* Ticks of a recording: at first, and at least. */
#define TICKS (UINT64_C(1) << 20)
#define FEWEST_TICKS (UINT64_C(1) << 8)

static struct timeline_sample *
next_sample(struct timeline *t)
{
	if (t->n == TIMELINE_SAMPLES)
		return NULL;
	t->sample = mem_grow(t->sample, &t->cap, t->n + 1, sizeof(*t->sample));
	return &t->sample[t->n++];
}

static uint32_t
thread_of(struct timeline *t, int64_t pid, int64_t tid)
{
	uint64_t key = ((uint64_t)pid << 32) ^ (uint64_t)tid;
	uint32_t i;

	if (u64map_get(&t->index, key, &i))
		return i;
	i = t->nthreads++;
	t->thread = mem_grow(t->thread, &t->thread_cap, t->nthreads,
			     sizeof(*t->thread));
	t->thread[i] = (struct timeline_thread){ .pid = pid, .tid = tid };
	u64map_put(&t->index, key, i);
	return i;
}

bool
timeline_add(struct timeline *t, uint64_t time, int64_t pid, int64_t tid,
	     struct count count)
{
	struct timeline_sample *s = next_sample(t);

	if (s == NULL)
		return false;
	*s = (struct timeline_sample){ .time = time,
				       .count = count,
				       .thread = thread_of(t, pid, tid) };
	t->thread[s->thread].weight += count_double(count);
	return true;
}

bool
timeline_skip(struct timeline *t)
{
	struct timeline_sample *s = next_sample(t);

	if (s != NULL)
		*s = (struct timeline_sample){ .thread = UNTIMED };
	return s != NULL;
}

/* Set the leaves, and drop what has no time. */
static void
set_frames(struct timeline *t, const uint32_t *frame)
{
	size_t i, n = 0;

	for (i = 0; i < t->n; i++) {
		if (t->sample[i].thread == UNTIMED)
			continue;
		t->sample[n] = t->sample[i];
		t->sample[n++].frame = frame[i];
	}
	t->n = n;
}

/* The child of the root that a frame is below; roots are in order. */
static uint32_t
root_of(const uint32_t *roots, size_t n, uint32_t frame)
{
	size_t low = 0, high = n, middle;

	while (high - low > 1) {
		middle = low + (high - low) / 2;
		if (roots[middle] <= frame)
			low = middle;
		else
			high = middle;
	}
	return n == 0 ? 0 : roots[low];
}

/* Vote for the root that may have more than half of a thread's counts. */
static void
vote(struct timeline_thread *thread, uint32_t root, double weight)
{
	if (thread->root == root)
		thread->votes += weight;
	else if (thread->votes >= weight)
		thread->votes -= weight;
	else {
		thread->votes = weight - thread->votes;
		thread->root = root;
	}
}

/*
 * A thread is named after the root frame that nearly all of its stacks have: a
 * process that calls execve(2) has another one before.
 */
static void
name_threads(struct timeline *t, const struct tree *tree)
{
	uint32_t i, *roots = NULL;
	size_t k, n = 0, cap = 0;
	const struct timeline_sample *s;
	struct timeline_thread *thread;

	for (i = tree->node[0].child; i != 0; i = tree->node[i].next) {
		roots = mem_grow(roots, &cap, n + 1, sizeof(*roots));
		roots[n++] = i;
	}
	for (k = 0; k < t->n; k++) {
		s = &t->sample[k];
		vote(&t->thread[s->thread], root_of(roots, n, s->frame),
		     count_double(s->count));
	}
	for (i = 0; i < t->nthreads; i++)
		t->thread[i].votes = 0;
	for (k = 0; k < t->n; k++) {
		s = &t->sample[k];
		thread = &t->thread[s->thread];
		if (root_of(roots, n, s->frame) == thread->root)
			thread->votes += count_double(s->count);
	}
	for (i = 0; i < t->nthreads; i++) {
		thread = &t->thread[i];
		if (thread->root != 0 &&
		    thread->votes * 10 >= thread->weight * 9)
			thread->name = intern_name(
			    tree->names, tree->node[thread->root].name);
	}
	free(roots);
}

static int
by_weight(const void *a, const void *b)
{
	const struct timeline_thread *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return (x->tid > y->tid) - (x->tid < y->tid);
}

/* The busiest threads first; what is beyond the limit becomes one. */
static void
sort_threads(struct timeline *t)
{
	uint32_t i, last = TIMELINE_THREADS, *place;
	size_t k;

	for (i = 0; i < t->nthreads; i++)
		t->thread[i].place = i;
	qsort(t->thread, t->nthreads, sizeof(*t->thread), by_weight);
	place = mem_alloc(((size_t)t->nthreads + 1) * sizeof(*place));
	for (i = 0; i < t->nthreads; i++)
		place[t->thread[i].place] = i < last ? i : last;
	for (k = 0; k < t->n; k++)
		t->sample[k].thread = place[t->sample[k].thread];
	free(place);
	t->has_others = t->nthreads > last + 1;
	if (!t->has_others)
		return;
	for (i = last + 1; i < t->nthreads; i++)
		t->thread[last].weight += t->thread[i].weight;
	t->thread[last].pid = t->thread[last].tid = -1;
	t->thread[last].name = STR("");
	t->nthreads = last + 1;
}

static int
by_time(const void *a, const void *b)
{
	const struct timeline_sample *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	return (x->frame > y->frame) - (x->frame < y->frame);
}

/* Find the span of time, and count in ticks from its start. */
static bool
find_span(struct timeline *t)
{
	uint64_t last = 0;
	size_t i;

	t->start = UINT64_MAX;
	for (i = 0; i < t->n; i++) {
		if (t->sample[i].time < t->start)
			t->start = t->sample[i].time;
		if (t->sample[i].time > last)
			last = t->sample[i].time;
	}
	if (t->n == 0 || last == t->start)
		return false;
	t->tick = (last - t->start) / TICKS + 1;
	t->ticks = (last - t->start) / t->tick + 1;
	for (i = 0; i < t->n; i++)
		t->sample[i].time = (t->sample[i].time - t->start) / t->tick;
	return true;
}

/* Add up equal stacks of a thread in one tick, and sort. */
static void
merge_samples(struct timeline *t)
{
	struct timeline_sample *s = t->sample;
	size_t i, n = 0;

	qsort(s, t->n, sizeof(*s), by_time);
	for (i = 0; i < t->n; i++) {
		if (n > 0 && by_time(&s[n - 1], &s[i]) == 0)
			count_add(&s[n - 1].count, s[i].count);
		else
			s[n++] = s[i];
	}
	t->n = n;
}

bool
timeline_finish(struct timeline *t, const struct tree *tree)
{
	size_t i;

	set_frames(t, tree->end);
	if (!find_span(t))
		return false;
	name_threads(t, tree);
	sort_threads(t);
	merge_samples(t);
	while (t->n > TIMELINE_ENTRIES && t->ticks > FEWEST_TICKS) {
		t->tick *= 8;
		t->ticks = (t->ticks - 1) / 8 + 1;
		for (i = 0; i < t->n; i++)
			t->sample[i].time /= 8;
		merge_samples(t);
	}
	return t->n <= TIMELINE_ENTRIES;
}

void
timeline_free(struct timeline *t)
{
	u64map_free(&t->index);
	free(t->sample);
	free(t->thread);
	*t = (struct timeline){ 0 };
}
