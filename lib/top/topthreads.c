/* topthreads.c - threads and what each does; stacks without their numbers. */
#include "top/topthreads.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

void
topthreads_init(struct topthreads *t, const struct trie *trie,
		struct intern *names)
{
	trie_init(&t->merged);
	t->trie = trie;
	t->names = names;
}

void
topthreads_free(struct topthreads *t)
{
	trie_free(&t->merged);
	free(t->thread);
	free(t->row);
	free(t->merged_of);
	free(t->thread_of);
	free(t->weight);
}

/* Cut a number after a mark off the end; false if there is none. */
static bool
cut_number(struct str *s, char mark, int64_t *n)
{
	const char *p = memrchr(s->p, mark, s->len);
	uint64_t number;

	if (p == NULL || !str_u64(str_range(p + 1, s->p + s->len), &number) ||
	    number > INT64_MAX)
		return false;
	*n = (int64_t)number;
	s->len = (size_t)(p - s->p);
	return true;
}

/* A new thread, by its first frame. */
static void
add_thread(struct topthreads *t, uint32_t name)
{
	struct topthread thread = { .name = intern_name(t->names, name),
				    .pid = -1,
				    .tid = -1 };
	struct str rest = thread.name;

	if (cut_number(&rest, '/', &thread.tid) &&
	    cut_number(&rest, '-', &thread.pid) && rest.len > 0)
		thread.name = rest;
	else
		thread.pid = thread.tid = -1;
	t->thread = mem_grow(t->thread, &t->thread_cap, t->n + 1,
			     sizeof(thread));
	t->thread[t->n++] = thread;
}

void
topthreads_grow(struct topthreads *t)
{
	const uint32_t n = t->trie->n;
	const struct trie_frame *f;
	uint32_t i, name;

	t->merged_of = mem_grow(t->merged_of, &t->merged_cap, n,
				sizeof(*t->merged_of));
	t->thread_of = mem_grow(t->thread_of, &t->thread_of_cap, n,
				sizeof(*t->thread_of));
	t->weight = mem_grow(t->weight, &t->weight_cap, n, sizeof(*t->weight));
	for (i = t->frames; i < n; i++) {
		f = &t->trie->frame[i];
		name = f->name;
		t->weight[i] = 0;
		t->merged_of[i] = 0;
		t->thread_of[i] = 0;
		if (i == 0)
			continue;
		if (f->parent == 0) {
			t->thread_of[i] = (uint32_t)t->n;
			add_thread(t, name);
			name = intern_id(t->names, t->thread[t->n - 1].name);
		} else {
			t->thread_of[i] = t->thread_of[f->parent];
		}
		t->merged_of[i] = trie_child(&t->merged,
					     t->merged_of[f->parent], name);
	}
	t->frames = n;
}

void
topthreads_set(struct topthreads *t, const struct count *count)
{
	uint32_t i;

	for (i = 0; i < t->frames; i++)
		t->weight[i] = count_double(count[i]);
}

void
topthreads_weigh(const struct topthreads *t, uint32_t thread, double *weight)
{
	uint32_t i;

	for (i = 0; i < t->merged.n; i++)
		weight[i] = 0;
	for (i = 1; i < t->frames; i++) {
		if (thread == TOPTHREADS_ALL || t->thread_of[i] == thread)
			weight[t->merged_of[i]] += t->weight[i];
	}
}

static void
sum_threads(struct topthreads *t, const struct thread_activity *a)
{
	struct topthread *thread;
	uint32_t i, stack;
	size_t k;

	for (k = 0; k < t->n; k++) {
		thread = &t->thread[k];
		memset(thread->sum, 0, sizeof(thread->sum));
		thread->total = thread->heaviest = 0;
		thread->stack = 0;
	}
	for (i = 1; i < t->frames; i++) {
		stack = t->merged_of[i];
		if (!(t->weight[i] > 0) || a->class[stack] >= WAIT_CLASSES)
			continue;
		thread = &t->thread[t->thread_of[i]];
		thread->sum[a->class[stack]] += t->weight[i];
		thread->total += t->weight[i];
		if (t->weight[i] > thread->heaviest) {
			thread->heaviest = t->weight[i];
			thread->stack = stack;
		}
	}
}

static bool
is_wanted(const struct topthread *thread, const struct thread_activity *a,
	  const struct topthreads_query *q)
{
	if (q->only_class >= 0 && !(thread->sum[q->only_class] > 0))
		return false;
	return q->match == NULL || regex_match(q->match, thread->name) ||
	       regex_match(q->match,
			   thread_activity_name(a, a->actor[thread->stack]));
}

struct order {
	const struct topthreads *t;
	const struct topthreads_query *q;
	double all; /* the weight of all threads */
};

/* Whole thousandths of all, so that chance does not move rows all the time. */
static double
percent(const struct order *o, const struct topthread *thread, int class)
{
	return round(1000 * thread->sum[class] / o->all);
}

static int
compare(const void *x, const void *y, void *arg)
{
	const struct order *o = arg;
	const struct topthread *a = &o->t->thread[*(const uint32_t *)x],
			       *b = &o->t->thread[*(const uint32_t *)y];
	const int class = o->q->only_class < 0 ? WAIT_NONE : o->q->only_class;
	const double p = percent(o, a, class), q = percent(o, b, class);
	const int names = str_cmp(a->name, b->name);

	if (!o->q->by_name && p != q)
		return p < q ? 1 : -1;
	if (o->q->by_name && names != 0)
		return names;
	return (a->tid > b->tid) - (a->tid < b->tid);
}

void
topthreads_list(struct topthreads *t, const struct thread_activity *a,
		const struct topthreads_query *q)
{
	struct order order = { t, q, 0 };
	const struct topthread *thread;
	uint32_t i;

	sum_threads(t, a);
	t->row = mem_grow(t->row, &t->row_cap, t->n + 1, sizeof(*t->row));
	t->rows = t->hidden = 0;
	for (i = 0; i < t->n; i++) {
		thread = &t->thread[i];
		order.all += thread->total;
		if (!(thread->total > 0) || !is_wanted(thread, a, q))
			continue;
		if (!q->with_idle && q->only_class < 0 &&
		    thread->sum[WAIT_IDLE] >= thread->total)
			t->hidden++;
		else
			t->row[t->rows++] = i;
	}
	qsort_r(t->row, t->rows, sizeof(*t->row), compare, &order);
}
