/* lock_chain.c - the owners of locks, from a waiting thread to the last one. */
#include "sampler/lock_chain.h"

#include "sampler/thread_call.h"

#include <string.h>

void
lock_chain_free(struct lock_chain *chain)
{
	buf_free(&chain->last);
}

/*
 * The state in which a thread was seen last.  A thread that is not sampled is
 * looked at now.
 */
static bool
find_state(struct live_threads *l, struct live_thread *t,
	   enum thread_state_counter counter, struct thread_state *state)
{
	if (t->round.time != 0)
		*state = t->round.long_wait ? t->cache.state : t->round.state;
	else if (!thread_state_read(&t->files, counter, state))
		return false;
	if (state->call.running)
		return true;
	if (!wait_cause_is_known(&t->cause, state))
		live_threads_describe(t);
	wait_cause_update(l, t, counter, state);
	return true;
}

static void
describe_last(const struct live_threads *l, const struct live_thread *t,
	      const struct thread_state *state, struct buf *out)
{
	struct str call;

	if (state->call.running) {
		buf_str(out, STR("running"));
		return;
	}
	if (t->state == 'T' || t->state == 't') {
		buf_str(out, STR("stopped"));
		return;
	}
	call = t->cause.call != NULL ?
		   str_of(t->cause.call) :
		   thread_call_name(l->process.arch, t, &state->call);
	buf_str(out, STR("in "));
	buf_str(out, call.len > 0 ? call : STR("a page fault"));
	if (t->cause.file.len > 0) {
		buf_str(out, STR(" on "));
		buf_str(out, buf_slice(&t->cause.file));
	}
}

static bool
has_link(const struct lock_chain *chain, int64_t tid)
{
	size_t i;

	for (i = 0; i < chain->n; i++) {
		if (chain->link[i].tid == tid)
			return true;
	}
	return false;
}

void
lock_chain_clear(struct lock_chain *chain)
{
	chain->n = 0;
	chain->is_deadlock = false;
	chain->last.len = 0;
}

void
lock_chain_find(struct live_threads *l, struct live_thread *t,
		enum thread_state_counter counter, struct lock_chain *chain)
{
	const int64_t first = t->files.tid;
	struct thread_state state;
	struct lock_link *link;

	lock_chain_clear(chain);
	while (t->cause.owner != 0 && chain->n < LOCK_CHAIN_MAX) {
		if (t->cause.owner == first ||
		    has_link(chain, t->cause.owner)) {
			chain->is_deadlock = true;
			return;
		}
		link = &chain->link[chain->n++];
		*link = (struct lock_link){ .tid = t->cause.owner,
					    .is_join = strcmp(t->cause.label,
							      "join") == 0 };
		t = live_threads_find(l, link->tid);
		if (t == NULL)
			return;
		link->name = live_threads_name(l, t);
		if (!find_state(l, t, counter, &state))
			return;
		if (state.call.running || t->cause.owner == 0) {
			describe_last(l, t, &state, &chain->last);
			return;
		}
	}
}
