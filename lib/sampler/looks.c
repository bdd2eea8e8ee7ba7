/* looks.c - looks at threads that were interrupted and have not stopped yet. */
#include "sampler/looks.h"

#include "base/table.h"

#include <stdlib.h>

struct thread_looks {
	int64_t tid;
	struct look *look;       /* in the order of their times */
	size_t first, last, cap; /* those before first were taken */
	UT_hash_handle hh;
};

static struct thread_looks *
find_thread(const struct looks *all, int64_t tid)
{
	struct thread_looks *t;

	HASH_FIND(hh, all->thread, &tid, sizeof(tid), t);
	return t;
}

static void
remove_thread(struct looks *all, struct thread_looks *t)
{
	HASH_DEL(all->thread, t);
	free(t->look);
	free(t);
}

void
looks_add(struct looks *all, const struct look *look)
{
	struct thread_looks *t = find_thread(all, look->tid);

	if (t == NULL) {
		t = mem_zero(1, sizeof(*t));
		t->tid = look->tid;
		HASH_ADD(hh, all->thread, tid, sizeof(t->tid), t);
	}
	t->look = mem_grow(t->look, &t->cap, t->last + 1, sizeof(*t->look));
	t->look[t->last++] = *look;
	all->n++;
}

void
looks_drop_last(struct looks *all, int64_t tid)
{
	struct thread_looks *t = find_thread(all, tid);

	if (t == NULL)
		return;
	t->last--;
	all->n--;
	if (t->first == t->last)
		remove_thread(all, t);
}

void
looks_free(struct looks *all)
{
	while (all->thread != NULL)
		remove_thread(all, all->thread);
	*all = (struct looks){ 0 };
}

const struct look *
looks_find(const struct looks *all, int64_t tid)
{
	const struct thread_looks *t = find_thread(all, tid);

	return t == NULL ? NULL : &t->look[t->first];
}

const struct look *
looks_any(const struct looks *all)
{
	const struct thread_looks *t = all->thread;

	return t == NULL ? NULL : &t->look[t->first];
}

bool
looks_take(struct looks *all, int64_t tid, struct look *found)
{
	struct thread_looks *t = find_thread(all, tid);

	if (t == NULL)
		return false;
	*found = t->look[t->first++];
	all->n--;
	if (t->first == t->last)
		remove_thread(all, t);
	return true;
}

void
looks_forget(struct looks *all, const struct live_threads *process)
{
	struct thread_looks *t, *next;
	size_t i, kept;

	HASH_ITER(hh, all->thread, t, next)
	{
		for (i = kept = t->first; i < t->last; i++) {
			if (t->look[i].process != process)
				t->look[kept++] = t->look[i];
		}
		all->n -= t->last - kept;
		t->last = kept;
		if (t->first == t->last)
			remove_thread(all, t);
	}
}
