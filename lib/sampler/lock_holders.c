/* lock_holders.c - how often each thread has the lock of an interpreter. */
#include "sampler/lock_holders.h"

#include "base/buf.h"
#include "base/table.h"

/* Threads that come and go would fill the table. */
enum { MAX_THREADS = 65536 };

struct counted_thread {
	int64_t tid;
	struct buf name;
	uint64_t samples;
	UT_hash_handle hh;
};

struct lock_holders {
	struct counted_thread *threads;
	uint64_t samples;
};

struct lock_holders *
lock_holders_new(void)
{
	return mem_zero(1, sizeof(struct lock_holders));
}

void
lock_holders_free(struct lock_holders *all)
{
	struct counted_thread *t, *next;

	HASH_ITER(hh, all->threads, t, next)
	{
		HASH_DEL(all->threads, t);
		buf_free(&t->name);
		free(t);
	}
	free(all);
}

void
lock_holders_add(struct lock_holders *all, int64_t tid, struct str name)
{
	struct counted_thread *t;

	all->samples++;
	HASH_FIND(hh, all->threads, &tid, sizeof(tid), t);
	if (t == NULL) {
		if (HASH_COUNT(all->threads) == MAX_THREADS)
			return;
		t = mem_zero(1, sizeof(*t));
		t->tid = tid;
		HASH_ADD(hh, all->threads, tid, sizeof(t->tid), t);
	}
	t->name.len = 0;
	buf_str(&t->name, name);
	t->samples++;
}

struct lock_holder
lock_holders_first(const struct lock_holders *all)
{
	const struct counted_thread *t, *first = NULL;

	for (t = all->threads; t != NULL; t = t->hh.next) {
		if (first == NULL || t->samples > first->samples ||
		    (t->samples == first->samples && t->tid < first->tid))
			first = t;
	}
	if (first == NULL)
		return (struct lock_holder){ 0 };
	return (struct lock_holder){ first->tid, buf_slice(&first->name),
				     (double)first->samples /
					 (double)all->samples };
}
