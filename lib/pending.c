/* pending.c - samples whose callers in user mode are recorded later. */
#include "pending.h"

#include "hash.h"
#include "mem.h"

#include <err.h>
#include <stdlib.h>

/* Bytes of samples that may wait: then the oldest is given up. */
#define LIMIT ((size_t)32 << 20)

/* Samples that wait are found by thread and number in so many lists. */
#define LISTS 4096

enum list { ALL, SAME_HASH };

struct waiting {
	struct profile_sample sample; /* frames, comm and args are its own */
	struct profile_frame *frame;
	struct buf comm, args;
	uint64_t cookie;
	size_t size;
	struct waiting *older[2], *newer[2]; /* by enum list */
};

/* In the order they came. */
struct ends {
	struct waiting *oldest, *newest;
};

struct pending {
	struct ends all, found[LISTS];
	size_t size;
	uint64_t seed;
	struct waiting **ready; /* in the order they came */
	size_t nready, ready_cap, next;
	struct waiting *given; /* the last that was taken */
};

struct pending *
pending_new(void)
{
	struct pending *p = mem_zero(1, sizeof(*p));

	p->seed = hash_seed();
	return p;
}

static void
release(struct waiting *w)
{
	if (w == NULL)
		return;
	free(w->frame);
	buf_free(&w->comm);
	buf_free(&w->args);
	free(w);
}

void
pending_free(struct pending *p)
{
	size_t i;

	pending_end(p);
	for (i = p->next; i < p->nready; i++)
		release(p->ready[i]);
	release(p->given);
	free(p->ready);
	free(p);
}

static struct ends *
list_of(struct pending *p, int64_t tid, uint64_t cookie)
{
	const uint64_t key[3] = { p->seed, (uint64_t)tid, cookie };

	return &p->found[hash_bytes(key, sizeof(key)) % LISTS];
}

static void
append(struct ends *e, struct waiting *w, enum list list)
{
	w->older[list] = e->newest;
	w->newer[list] = NULL;
	if (e->newest == NULL)
		e->oldest = w;
	else
		e->newest->newer[list] = w;
	e->newest = w;
}

static void
take_out(struct ends *e, struct waiting *w, enum list list)
{
	struct waiting *older = w->older[list], *newer = w->newer[list];

	if (older == NULL)
		e->oldest = newer;
	else
		older->newer[list] = newer;
	if (newer == NULL)
		e->newest = older;
	else
		newer->older[list] = older;
}

static void
make_ready(struct pending *p, struct waiting *w)
{
	take_out(&p->all, w, ALL);
	take_out(list_of(p, w->sample.tid, w->cookie), w, SAME_HASH);
	p->size -= w->size;
	p->ready = mem_grow(p->ready, &p->ready_cap, p->nready + 1,
			    sizeof(*p->ready));
	p->ready[p->nready++] = w;
}

static void
give_up_oldest(struct pending *p)
{
	p->all.oldest->sample.truncated = true;
	make_ready(p, p->all.oldest);
}

void
pending_add(struct pending *p, const struct profile_sample *s, uint64_t cookie)
{
	struct waiting *w = mem_alloc(sizeof(*w));

	*w = (struct waiting){ .sample = *s, .cookie = cookie };
	w->frame = mem_alloc((s->n + 1) * sizeof(*w->frame));
	if (s->n > 0)
		memcpy(w->frame, s->frame, s->n * sizeof(*w->frame));
	buf_str(&w->comm, s->comm);
	buf_str(&w->args, s->args);
	w->size = sizeof(*w) + s->n * sizeof(*w->frame) + s->comm.len +
		  s->args.len;
	append(&p->all, w, ALL);
	append(list_of(p, s->tid, cookie), w, SAME_HASH);
	p->size += w->size;
	while (p->size > LIMIT)
		give_up_oldest(p);
}

void
pending_complete(struct pending *p, int64_t tid, uint64_t cookie,
		 const struct callstack *user)
{
	struct waiting *w, *newer;

	for (w = list_of(p, tid, cookie)->oldest; w != NULL; w = newer) {
		newer = w->newer[SAME_HASH];
		if (w->cookie != cookie || w->sample.tid != tid)
			continue;
		w->frame = realloc(w->frame, (w->sample.n + user->n + 1) *
						 sizeof(*w->frame));
		if (w->frame == NULL)
			err(2, NULL);
		if (user->n > 0)
			memcpy(w->frame + w->sample.n, user->frame,
			       user->n * sizeof(*w->frame));
		w->sample.n += user->n;
		w->sample.truncated = user->truncated;
		make_ready(p, w);
	}
}

void
pending_end(struct pending *p)
{
	while (p->all.oldest != NULL)
		give_up_oldest(p);
}

bool
pending_next(struct pending *p, struct profile_sample *s)
{
	release(p->given);
	p->given = NULL;
	if (p->next == p->nready) {
		p->next = p->nready = 0;
		return false;
	}
	p->given = p->ready[p->next++];
	*s = p->given->sample;
	s->frame = p->given->frame;
	s->comm = buf_slice(&p->given->comm);
	s->args = buf_slice(&p->given->args);
	return true;
}
