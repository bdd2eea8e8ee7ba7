/* deferred_chain.c - samples whose user-mode callers are recorded later. */
#include "perf/deferred_chain.h"

#include "base/table.h"

#include <utlist.h>

/* Bytes that waiting samples may take. */
#define MAX_WAITING ((size_t)32 << 20)

/* A copy of a sample, in one of two lists: waiting or ready. */
struct deferred_sample {
	struct perfdata_sample sample; /* but for frames, comm and args */
	struct callstack_frame *frame;
	size_t frame_cap;
	struct buf comm, args;
	size_t size;
	struct deferred_group *group;
	struct deferred_sample *same; /* the next one of the group */
	struct deferred_sample *prev, *next;
};

/* The samples that wait for one chain, in the order of arrival. */
struct deferred_group {
	struct deferred_key {
		int64_t tid;
		uint64_t cookie;
	} key;
	struct deferred_sample *first, *last;
	UT_hash_handle hh;
};

struct deferred_chain {
	struct deferred_group *groups;
	struct deferred_sample *waiting; /* in the order of arrival */
	size_t size;                     /* bytes of these */
	struct deferred_sample *ready;
	struct deferred_sample *given; /* the last that was returned */
};

struct deferred_chain *
deferred_chain_new(void)
{
	return mem_zero(1, sizeof(struct deferred_chain));
}

static void
free_sample(struct deferred_sample *s)
{
	if (s == NULL)
		return;
	free(s->frame);
	buf_free(&s->comm);
	buf_free(&s->args);
	free(s);
}

void
deferred_chain_free(struct deferred_chain *d)
{
	struct deferred_sample *s, *next;

	deferred_chain_end(d);
	DL_FOREACH_SAFE(d->ready, s, next)
	free_sample(s);
	free_sample(d->given);
	free(d);
}

static struct deferred_group *
find_group(const struct deferred_chain *d, int64_t tid, uint64_t cookie)
{
	const struct deferred_key key = { tid, cookie };
	struct deferred_group *group;

	HASH_FIND(hh, d->groups, &key, sizeof(key), group);
	return group;
}

static void
add_to_group(struct deferred_chain *d, struct deferred_sample *s,
	     uint64_t cookie)
{
	struct deferred_group *group = find_group(d, s->sample.tid, cookie);

	if (group == NULL) {
		group = mem_zero(1, sizeof(*group));
		group->key = (struct deferred_key){ s->sample.tid, cookie };
		group->first = s;
		HASH_ADD(hh, d->groups, key, sizeof(group->key), group);
	} else {
		group->last->same = s;
	}
	group->last = s;
	s->group = group;
}

static void
free_group(struct deferred_chain *d, struct deferred_group *group)
{
	HASH_DEL(d->groups, group);
	free(group);
}

static void
make_ready(struct deferred_chain *d, struct deferred_sample *s)
{
	DL_DELETE(d->waiting, s);
	DL_APPEND(d->ready, s);
	d->size -= s->size;
}

/* The oldest sample of all is the first of its group. */
static void
give_up_oldest(struct deferred_chain *d)
{
	struct deferred_sample *s = d->waiting;

	s->group->first = s->same;
	if (s->same == NULL)
		free_group(d, s->group);
	s->sample.truncated = true;
	make_ready(d, s);
}

static void
add_frames(struct deferred_sample *s, const struct callstack_frame *frame,
	   size_t n)
{
	const size_t old = s->sample.n;

	s->frame = mem_grow(s->frame, &s->frame_cap, old + n + 1,
			    sizeof(*s->frame));
	if (n > 0)
		memcpy(s->frame + old, frame, n * sizeof(*s->frame));
	s->sample.n += n;
}

void
deferred_chain_add(struct deferred_chain *d,
		   const struct perfdata_sample *sample, uint64_t cookie)
{
	struct deferred_sample *s = mem_zero(1, sizeof(*s));

	s->sample = *sample;
	s->sample.n = 0;
	add_frames(s, sample->frame, sample->n);
	buf_str(&s->comm, sample->comm);
	buf_str(&s->args, sample->args);
	s->size = sizeof(*s) + sample->n * sizeof(*s->frame) +
		  sample->comm.len + sample->args.len;
	DL_APPEND(d->waiting, s);
	add_to_group(d, s, cookie);
	d->size += s->size;
	while (d->size > MAX_WAITING)
		give_up_oldest(d);
}

void
deferred_chain_complete(struct deferred_chain *d, int64_t tid, uint64_t cookie,
			const struct callstack *user)
{
	struct deferred_group *group = find_group(d, tid, cookie);
	struct deferred_sample *s;

	if (group == NULL)
		return;
	for (s = group->first; s != NULL; s = s->same) {
		add_frames(s, user->frame, user->n);
		s->sample.truncated = user->truncated;
		make_ready(d, s);
	}
	free_group(d, group);
}

void
deferred_chain_end(struct deferred_chain *d)
{
	while (d->waiting != NULL)
		give_up_oldest(d);
}

bool
deferred_chain_next(struct deferred_chain *d, struct perfdata_sample *sample)
{
	struct deferred_sample *s = d->ready;

	free_sample(d->given);
	d->given = s;
	if (s == NULL)
		return false;
	DL_DELETE(d->ready, s);
	*sample = s->sample;
	sample->frame = s->frame;
	sample->comm = buf_slice(&s->comm);
	sample->args = buf_slice(&s->args);
	return true;
}
