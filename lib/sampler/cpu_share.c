/* cpu_share.c - separate running threads from those that wait for a CPU. */
#include "sampler/cpu_share.h"

void
cpu_share_update(struct cpu_share *c, uint64_t time,
		 const struct thread_state *state)
{
	const uint64_t elapsed = time - c->begin;

	if (!c->has_begun) {
		*c = (struct cpu_share){ .has_begun = true,
					 .ran_since = true,
					 .begin = time,
					 .first_ran = state->ran,
					 .first_queued = state->queued };
		return;
	}
	/* Samples come in the order of their stops, not always in that of time.
	 */
	if (time < c->begin || state->ran < c->first_ran + c->ran ||
	    state->queued < c->first_queued + c->queued)
		return;
	c->ran_since = state->ran - c->first_ran > c->ran;
	c->ran = state->ran - c->first_ran;
	c->queued = state->queued - c->first_queued;
	/*
	 * The kernel counts a wait as it ends: one that began before the first
	 * look is partly older.
	 */
	if (c->queued > elapsed) {
		c->first_queued += c->queued - elapsed;
		c->queued = elapsed;
	}
}

bool
cpu_share_is_running(struct cpu_share *c)
{
	const double all = (double)c->ran + (double)c->queued;
	bool is_running;

	c->ready_looks++;
	/* Without counters, nothing says that it waits. */
	is_running = all == 0 ||
		     (c->ran_since &&
		      (double)c->running_looks + 0.5 <
			  (double)c->ready_looks * (double)c->ran / all);
	c->running_looks += is_running;
	return is_running;
}
