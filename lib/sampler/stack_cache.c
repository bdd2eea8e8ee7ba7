/* stack_cache.c - the last unwound stack of a thread, for as long as it is
 * valid. */
#include "sampler/stack_cache.h"

void
stack_cache_set_waiting(struct stack_cache *k, const struct thread_state *state)
{
	k->waiting = true;
	k->state = *state;
	k->hits = 0;
}

bool
stack_cache_hit(struct stack_cache *k, const struct thread_state *state)
{
	const bool hit = k->waiting && k->state.run_count == state->run_count;

	k->hits += hit;
	return hit;
}

bool
stack_cache_is_long_wait(const struct stack_cache *k)
{
	const unsigned many = 8;

	return k->waiting && k->hits >= many;
}

void
stack_cache_clear_waiting(struct stack_cache *k)
{
	k->waiting = false;
}

void
stack_cache_set_bytes(struct stack_cache *k, uint64_t sp, uint64_t pc,
		      struct str bytes)
{
	k->bytes.len = 0;
	buf_str(&k->bytes, bytes);
	k->sp = sp;
	k->pc = pc;
}

bool
stack_cache_has_bytes(const struct stack_cache *k, const struct proc_call *call,
		      struct str bytes)
{
	return k->bytes.len > 0 && k->sp == call->sp && k->pc == call->pc &&
	       str_eq(buf_slice(&k->bytes), bytes);
}

void
stack_cache_clear_bytes(struct stack_cache *k)
{
	k->bytes.len = 0;
}

void
stack_cache_free(struct stack_cache *k)
{
	unwind_copy_release(&k->frames);
	buf_free(&k->bytes);
}
