/* pending.c - samples whose callers in user mode are recorded later. */
#include "pending.h"

#include "mem.h"

#include <err.h>
#include <stdlib.h>

/*
 * How many may wait.  A thread waits at most for one number, but may be
 * sampled many times meanwhile.
 */
#define LIMIT 4096

struct waiting {
	struct profile_sample sample; /* frames, comm and args are its own */
	struct profile_frame *frame;
	struct buf comm, args;
	uint64_t cookie;
};

struct pending {
	struct waiting *waiting, *ready; /* both in the order they came */
	size_t n, cap, nready, ready_cap, next;
	struct waiting given; /* the last that was taken */
};

struct pending *
pending_new(void)
{
	return mem_zero(1, sizeof(struct pending));
}

static void
release(struct waiting *w)
{
	free(w->frame);
	buf_free(&w->comm);
	buf_free(&w->args);
	*w = (struct waiting){ 0 };
}

void
pending_free(struct pending *p)
{
	size_t i;

	for (i = 0; i < p->n; i++)
		release(&p->waiting[i]);
	for (i = p->next; i < p->nready; i++)
		release(&p->ready[i]);
	release(&p->given);
	free(p->waiting);
	free(p->ready);
	free(p);
}

static void
make_ready(struct pending *p, const struct waiting *w)
{
	p->ready = mem_grow(p->ready, &p->ready_cap, p->nready + 1,
			    sizeof(*p->ready));
	p->ready[p->nready++] = *w;
}

void
pending_add(struct pending *p, const struct profile_sample *s, uint64_t cookie)
{
	struct waiting *w;

	if (p->n == LIMIT)
		pending_end(p);
	p->waiting = mem_grow(p->waiting, &p->cap, p->n + 1,
			      sizeof(*p->waiting));
	w = &p->waiting[p->n++];
	*w = (struct waiting){ .sample = *s, .cookie = cookie };
	w->frame = mem_alloc((s->n + 1) * sizeof(*w->frame));
	if (s->n > 0)
		memcpy(w->frame, s->frame, s->n * sizeof(*w->frame));
	buf_str(&w->comm, s->comm);
	buf_str(&w->args, s->args);
}

void
pending_complete(struct pending *p, int64_t tid, uint64_t cookie,
		 const struct callstack *user)
{
	struct waiting *w;
	size_t i, kept = 0;

	for (i = 0; i < p->n; i++) {
		w = &p->waiting[i];
		if (w->cookie != cookie || w->sample.tid != tid) {
			p->waiting[kept++] = *w;
			continue;
		}
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
	p->n = kept;
}

void
pending_end(struct pending *p)
{
	size_t i;

	for (i = 0; i < p->n; i++) {
		p->waiting[i].sample.truncated = true;
		make_ready(p, &p->waiting[i]);
	}
	p->n = 0;
}

bool
pending_next(struct pending *p, struct profile_sample *s)
{
	if (p->given.frame != NULL)
		release(&p->given);
	if (p->next == p->nready) {
		p->next = p->nready = 0;
		return false;
	}
	p->given = p->ready[p->next++];
	*s = p->given.sample;
	s->frame = p->given.frame;
	s->comm = buf_slice(&p->given.comm);
	s->args = buf_slice(&p->given.args);
	return true;
}
